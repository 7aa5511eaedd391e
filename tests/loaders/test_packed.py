"""Archives read as folders, old Excel files and Outlook messages, through `load` and its sandbox."""

from __future__ import annotations

import base64
import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import load_all, load_bytes
from readagent.loaders.loading import Loaded, Skipped

FARES = (
    "c-rk)T}&KR6h3#DU1ov8LRo*P;)t^REri+!F<PNO)g}^%)Y=#lU6$c@VVm70+C<})%9~9zeek7;si94b#-AAVL5-03;DbhE(xm!CeQWe#Yc!"
    "@wVg2rzJ20+Gv%54#EobxHd*{skIdjiB_uRAJeOtYH_Jg`hltm9x39V;*<aO}`;By}QM4IBQXEGUwo!O!P6s@UR>QIONJb=`BDPSnwmZ^G&{"
    "(tlY#qdj#Ne5{Tb)1e<A#@8Y#ywv?W7hNRmoM$CU;O&={Fdi<36RVG<#{jtzZ|Flb^(<@l^p`88mIww1GPYaZGz}l;5OiPpbppr+yUGP)B|?"
    "`CU7^<0NexI3p6VEnp7>(igufNZr?eJZYcQ-XwmDTPj`JSRnEG<1dDiIUtzoW2^gVc(l+|S(TMp^Q7_977E*>~80mhY!&Wsq160y`%>Rtb{c"
    "L}r9x}U>O&`^ISo%|3HgH*qQqU(n=11o2r67GJ{pY1ul^c|cezItq!gPe@VV}cj%~1k9>)bu1pNIoEE2r>2x~;eMdIc>>Z+q05v*O`sy<SS^"
    "q$r(@^?DVZm(Djf(lI;IaU8VDKDI=^XH1trFPoAtCuja|`SG;^`E=9qm#}xa_PNdOpU&pDY{3t0!EfDy@5{+2*agd@XY<ehjelChLy9u8_NP"
    "j?u1<Nmu1V=!?@pC+U7PY`o)ywJ7IC`k9=1^GjfInmML5kssdOkW4O@}8m3)Py8wy$x20(Q9l%St!REC4})4aGh&0A*JAw{FjG(ou9`=~rE-"
    "S!J~H0Xptm@$?`56T{@zv8z8je&q;Adnb;Al6*NHhNTm!p9|J&&{Ekm<-1)Sx?PHEG#&fNaE$>d}1;K&oSsD-40t3BLHlwGN5Wr#y0y5^#A1"
    "ytbnLv_$;|E)hxCj(_MS(%J&1KL*36XKSi4}Hfp^6;soBT=&d}Wjmrh@TZ^cN7#QpeHuPK5;Un|ruoa&g5B0`kGY!GL_XQ6G5ChHY^cV_HSY"
    "~kOBv1M>mq7@ykLhxEldIi~_R02(3+)%v-7T*6SsaBve3szf0)<3KIAfez(36<kpci@HNCe8N)K*p66_--ChURzL_Q58qm?yG$YkYyQuMDJ~"
    "1fImklg1luKMC$B=l>iByOc8kYmt|VH^0=->lYf5z0;4`DoGp4qNGt^T)LCT>*;3Z`_ld#7a)zwc$^#~?df5yhCcS%F@)$L>=5x)#g@Za05k"
    "z}oG{!I3Fp#v6C09Nlp%?Y(lI2F(`e*&xRq|Ym2MQFbi<`|+P>1aM*_Fmk}~@a?>B7cTDD(3BJa!tQ;~Qq5gSjM2cM5vQS*WO+Yg6Ft!UI@>"
    "*}2vAMe`U`pTn=r1cE31>~5QRu|v+_3GfH|LxZdYHRxN2dSkOlv~L6T`IrmQ9Jp#$}^6tTw_e-8^_eKb9v3q9b~&xjdLiUb|La};JWb5g)<#"
    "{{HI@s{GqGw_RH{-#T!w1juYVgE?KwY|C{JW=KuViSvH(&jP$Qmx!ryWtH)^uR|qM`Ou_QkkjDF}t2{X0alJmrPW!O#ENpBLGE5h>eu*mw&u"
    "2^!IJDs>gUAA`qV-pX^$X4an^mrE-}Hu&>CEC6X5Alx6^ye^Bqxb1B?iv*=CarK6tMp-z&ji3_hW?!%V4nu7A8+u5#JvIk~{zZF#QR2{!TX"
)  # a sheet and a hidden one, saved by LibreOffice
BOATS = (
    "c-rlk&2G~`5Xb+Ho1{q{Xe-o14<v#M;t(aIs7h6#^3h5?fDqz}qR@mkf+kTC5ZrhKUV%s8!fU_{i4!~sF*ED6yNYnVQw)MCe{1c|y1PH`$IM"
    "PXe_HwW{=@or%;*+eO#K3KMx8^&4UJ_WqwA)=?{n266@RY(O8a<-`>5gp2AH4=sqRp_Hnkk%Y`Tp;U2RmTr!Gb~6t-{c_B+)2H9e0p#0&bnO"
    "5bJE+hZKje^>BSkE5bmxABVZW3qy}K6+HR*Aj}+H>bfjeakGN%Ggvs=tVY`bILzMd);IEQe-<%*uHY|UbSD1?6POR-$66*@uRITAD@49r0ch"
    "jj$XZynu`w2mqb0){&#0jjl0I<Sc~jwlkG}EyJtilskN>WyF>QbR7QT&Tn86fWjpw{#j*QWC9mUo-21uChaQoq4OEQVCGVY(FT4@$pEYEiur"
    "JA8f2$LT7F~Vi`CSzYS}O96$RB(3U47KaFKegta}AE-XA$HhQZavwmlXfUH2Oo$Yf<6r29>&c#_2jTitp;&$JXcU_zi3R!XM#pSo1@r$*<E%"
    "8$9<C`8mP(b^4mfZ_wFm%g+n=>?g%U{$0`d7X|!`kq?~C-?Qcy1bo*xm*e<#y#sCeMFF3EWjld?6ZiDqx8pAf_}Q894=LUa=+1F(LUE6?5!*"
    "Oe(|k|BXJ2_|@HziEAkHv`+QL<1HG(VDmX5#dPo)&&Z$r<#?fhR5jK5&yY4Q9fQFpER7X^IYtCv$=e@XmZQs?FgpMT>_=zc)Ig`_)RTdzNBC"
    "Drxk*lQnuR|WI$&BVXIJ^v+R{!@^cKYJF1IsJl;O&lNcy8g#JMLyU12|btxRR"
)  # a message to one person with an attachment


def read(data: bytes, name: str) -> Document:
    return load_bytes(data, name, source="")


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))


def zipped(files: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def refused(data: bytes, name: str = "boats.zip") -> str:
    with pytest.raises(LoadError) as caught:
        read(data, name)
    assert name in str(caught.value)
    assert caught.value.hint
    return f"{caught.value}; {caught.value.hint}"


def test_a_zip_archive_is_read_as_a_folder() -> None:
    files = {"part 10.md": "# Ten\n\nAnna rows.", "part 2.txt": "Ida waits.", "a/page.html": "<p>They met.</p>",
             ".git/x": "no", "__MACOSX/part": "no", "inner.zip": zipped({"a.txt": "deep"}), "p.png": b"\x89PNG\r\n"}  # fmt: skip
    document = read(zipped(files), "boats.zip")
    assert [document.text[one.start : one.end].strip() for one in document.paragraphs] == [
        "a/page.html", "They met.", "part 2.txt", "Ida waits.", "part 10.md", "Ten", "Anna rows."
    ]  # fmt: skip
    assert document.place_at(document.text.index("Anna")) == "part 10.md, Ten, par. 1"
    assert document.title == "boats"
    assert "inner.zip is an archive in an archive" in document.metadata["not_read"]
    assert "p.png seems to be a PNG image" in document.metadata["not_read"]


def test_the_only_file_of_an_archive_and_a_compressed_file_are_that_file() -> None:
    for data, name in ((zipped({"notes.md": "# Boats"}), "a.zip"), (gzip.compress(b"# Boats"), "notes.md.gz")):
        document = read(data, name)
        assert (document.text, document.paragraphs[0].heading) == ("Boats\n\n", 1)


def test_archives_without_a_document_or_that_may_do_harm_are_refused() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "no files to read" in refused(buffer.getvalue())
    assert "points outside" in refused(zipped({"../../boats.txt": "no"}))
    assert "times its size" in refused(zipped({"a.txt": bytes(9_000_000)}))
    assert "times its size" in refused(gzip.compress(bytes(9_000_000)), "boats.gz")
    assert "damaged" in refused(gzip.compress(b"Anna rows. " * 99)[:-9], "boats.gz")
    secret = zipped({"a.txt": "Anna"}).replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
    secret = secret.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    assert "password" in refused(secret)
    with tarfile.open(fileobj=(packed := io.BytesIO()), mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("a.txt"))
    assert "tar archive" in refused(packed.getvalue(), "boats.tar")
    assert "for example, p.png" in refused(zipped({"p.png": b"\x89PNG\r\n"}))


def test_archives_in_a_folder_are_read_or_skipped_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a.txt": "Anna rows."}))
    (tmp_path / "b.jar").write_bytes(zipped({"A.class": b"\xca\xfe\xba\xbe" + bytes(60)}))
    first, second = load_all(tmp_path)
    assert isinstance(first, Loaded)
    assert isinstance(second, Skipped)
    assert second.unsupported


def test_an_old_excel_file() -> None:
    pytest.importorskip("xlrd")
    document = read(unpacked(FARES), "fares.xls")
    assert document.text == "Boats\n\ntown | share | since\nOst | 12% | 2024-03-01\n\n"
    assert document.metadata["not_read"] == "hidden sheet Secret"


def test_an_outlook_message() -> None:
    pytest.importorskip("oxmsg")
    document = read(unpacked(BOATS), "boats.msg")
    assert (document.title, document.metadata) == ("Boats", {"author": "Anna Berg", "date": "2024-03-01"})
    assert document.text.splitlines()[2:] == [
        "Anna Berg, 2024-03-01 09:00", "", "From: Anna Berg <anna@example.org>", "", "To: Ida Brandt <ida@example.org>",
        "", "The boat leaves at nine.", "Anna", "", "Attachments: fares.pdf", "",
    ]  # fmt: skip
    assert "damaged" in refused(
        unpacked(BOATS)[:1500] + b"__properties_version1.0".decode().encode("utf-16-le") + b"\0\0", "boats.msg"
    )
