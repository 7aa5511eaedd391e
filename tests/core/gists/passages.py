"""Pages in several languages and of several kinds, good gists of each, and texts that are gists of nothing."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.testing.skim import gist
from sessions import EXAMPLES


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and good gists of it; ``translated`` are gists in other languages, with the wish that asks for each."""

    page: str
    gists: tuple[str, ...]
    translated: tuple[tuple[str, str], ...] = ()


_STORY = (EXAMPLES / "story.txt").read_text("utf-8").split()
_MEETING = (EXAMPLES / "meeting.txt").read_text("utf-8").split()


def _skimmed(words: list[str], start: int, count: int = 450) -> Sample:
    page = " ".join(words[start : start + count])
    return Sample(page, tuple(gist(page, share) for share in (0.05, 0.1, 0.15, 0.3)))


ENGLISH = Sample(
    "The ferry to Skarholm had been late every morning since the ice broke, and on the fourth of April it did not come"
    " at all. Johanna Lindqvist stood on the quay with eleven crates of tomato seedlings and a letter for the island's"
    " doctor. The harbour clerk, a thin man named Aksel, told her that the engine had failed off Brattö and that the"
    " company would send a barge in the afternoon. She asked him what afternoon meant. He shrugged and said that last"
    " year it had meant Thursday. So she covered the crates with her coat, bought a bread roll, and read the letter,"
    " which she had promised not to read. It said that the doctor's licence would end on the first of May, that a"
    " younger man had been found, and that the county thanked him for thirty-one years. Johanna folded it again along"
    " the same lines. When the barge came at half past five she had decided to lose it in the water. She carried the"
    " seedlings aboard, one crate after another, and when the last was down she felt in her pocket and the letter was"
    " gone already; Aksel was running along the quay with it, waving, glad to be of use.",
    (
        "On 4 April the ferry to Skarholm fails. Johanna Lindqvist waits on the quay with tomato seedlings and a letter"
        " for the doctor. She reads it against her promise: his licence ends on 1 May. She means to drop it in the"
        " water, but the clerk Aksel finds it and runs after her with it.",
        "Johanna waits for the broken ferry with eleven crates of seedlings, secretly reads that the island's doctor"
        " is to be replaced, and decides to lose the letter, which Aksel then brings back to her.",
        "The engine failed off Brattö, so a barge came at half past five instead. While waiting, Johanna opened the"
        " letter dismissing the doctor after thirty-one years; Aksel returned it when it fell from her pocket.",
        "Johanna reads the doctor's dismissal while waiting for the barge to Skarholm.",
    ),
    (
        (
            "Fasse auf Deutsch zusammen.",
            "Am 4. April fällt die Fähre nach Skarholm aus. Johanna Lindqvist wartet mit Setzlingen am Kai und liest"
            " heimlich den Brief, nach dem der Arzt der Insel am 1. Mai entlassen wird. Aksel bringt ihn ihr zurück.",
        ),
        (
            "Write all gists in Japanese.",
            "四月四日、スカルホルム行きのフェリーは故障で来なかった。ヨハンナは岸壁で苗の箱と医者への手紙を持って待ち、約束を破って"
            "手紙を読む。医者は五月一日で解任される。彼女は手紙を水に捨てようと決めるが、係員のアクセルが拾って追いかけてくる。",
        ),
        (
            "Résume chaque page en gardant les noms et les dates.",
            "Le 4 avril, le ferry pour Skarholm ne vient pas. Johanna Lindqvist attend sur le quai avec des plants de"
            " tomates et lit la lettre qui met fin à la charge du médecin. Elle veut la perdre, mais Aksel la rapporte.",
        ),
    ),
)
GERMAN = Sample(
    "Als der Orgelbauer Konrad Weidlich im Herbst 1911 nach Altenburg kam, fand er in der Stadtkirche ein Instrument vor,"
    " das seit zwanzig Jahren niemand mehr gestimmt hatte. Der Pfarrer führte ihn auf die Empore und entschuldigte sich"
    " für die Tauben. Weidlich zog ein Register nach dem anderen, lauschte und schrieb Zahlen in ein blaues Heft. Von"
    " den zweiundvierzig Registern sprachen neunzehn gar nicht, sieben heulten, und die Posaune fehlte ganz; man hatte"
    " sie im Krieg von 1870 eingeschmolzen, wie der Küster sagte. Die Gemeinde besaß achthundert Mark. Weidlich rechnete"
    " eine Nacht lang und bot am Morgen an, die Orgel für achthundert Mark zu retten, wenn er dafür in der Turmstube"
    " wohnen dürfe und jeden Tag eine warme Suppe bekäme. Der Kirchenvorstand stimmte mit vier gegen drei Stimmen zu. Er"
    " blieb neun Jahre. Als er ging, spielten alle zweiundvierzig Register, auch die Posaune, deren Pfeifen er aus alten"
    " Zinntellern gegossen hatte, die ihm die Frauen der Stadt gebracht hatten.",
    (
        "1911 findet der Orgelbauer Weidlich in Altenburg eine verfallene Orgel: 19 von 42 Registern stumm, die Posaune"
        " eingeschmolzen. Für achthundert Mark, die Turmstube und Suppe rettet er sie in neun Jahren; die Posaune gießt"
        " er aus Zinntellern.",
        "Konrad Weidlich stimmt die Orgel der Stadtkirche gegen Kost und Wohnung im Turm; der Kirchenvorstand ist mit"
        " vier zu drei einverstanden. Nach neun Jahren klingen alle Register wieder.",
        "Der Orgelbauer rettet für 800 Mark die Altenburger Orgel und gießt die fehlende Posaune aus Zinn.",
    ),
    (
        (
            "Summarize in English.",
            "In 1911 the organ builder Konrad Weidlich finds a ruined organ in Altenburg. For 800 marks, a room in the"
            " tower and soup he repairs it within nine years, casting the missing trombone from pewter plates.",
        ),
    ),
)
CHINESE = Sample(
    "民国二十三年的春天，陈老板在苏州观前街开了一家修表铺。铺面只有一丈宽，柜台后面挂着三十七只钟，没有两只走得一样快。街坊们笑他"
    "自己的钟都修不准，他说这些钟都是别人寄存的，各有各的脾气，不能逼它们一样。一天傍晚，一位穿灰布长衫的先生拿来一块怀表，表盖里"
    "刻着一个女人的名字，秋云。先生说表停在四点一刻，请不要让它再走。陈老板问，那修什么呢？先生说，修表链，链子断了。陈老板换了一"
    "节银链，收了两角钱。三年以后，一个叫秋云的女人走进铺子，问有没有人来修过这样一块表。陈老板记得清清楚楚，却摇了摇头。女人走了，"
    "他把墙上的钟一只一只都拨到四点一刻，坐在柜台后面，一直坐到天黑。",
    (
        "陈老板在苏州观前街开修表铺，墙上挂着三十七只钟。一位先生请他只修怀表的链子，不要让停在四点一刻的表再走，表盖里刻着秋云。三年"
        "后秋云来问，他摇头不说，把所有的钟拨到四点一刻。",
        "修表的陈老板替一位穿长衫的先生换了怀表的银链。表停在四点一刻，刻着女人的名字秋云。后来秋云来打听，陈老板没有告诉她。",
        "苏州的陈老板为停走的怀表修链子，三年后对来问的秋云隐瞒了这件事。",
    ),
    (
        (
            "Summaries must be in English.",
            "In 1934 Chen opens a watch repair shop in Suzhou. A man asks him to mend only the chain of a watch that"
            " must stay stopped at 4:15. Three years later the woman named in it asks, and Chen keeps silent.",
        ),
    ),
)
DIALOGUE = Sample(
    '"You took it," said Ruth.\n"I borrowed it."\n"You took my bicycle, and you rode it to Harwell, and you sold the bell."'
    '\n"The bell was broken," Peter said.\n"It was not broken. It was stiff. You press it twice."\n"Mr. Osborne gave me'
    ' four shillings for it."\n"Four shillings! It was my grandfather\'s bell."\nPeter looked at his shoes. "I can go'
    ' back," he said. "He closes at six."\n"It is ten to six, and Harwell is three miles."\n"On a bicycle," said Peter,'
    ' "I could do it in nine minutes."\nRuth held the handlebar and did not let go. Then she let go. "Press it twice,"'
    ' she said, "or he will tell you it is broken too. And do not give him more than four shillings for it, whatever he'
    ' says about the polish. Grandfather polished it every Sunday of his life."',
    (
        "Peter borrowed Ruth's bicycle and sold her grandfather's bell to Mr. Osborne in Harwell for four shillings."
        " At ten to six she lets him ride back to buy it before the shop closes.",
        "Ruth accuses Peter of selling the bell of her bicycle. He offers to fetch it from Harwell; she lets him go.",
    ),
)
TABLE = Sample(
    "station,date,min_temp,max_temp,rain_mm\n"
    + "\n".join(f"Aldermoor,2024-03-{day:02},{day % 7 - 2}.4,{day % 9 + 6}.1,{day * 3 % 17}.0" for day in range(1, 29))
    + "\nCastle Hill,2024-03-01,1.9,9.3,4.2\nCastle Hill,2024-03-02,0.4,8.8,0.0",
    (
        "Weather of Aldermoor for March 2024 by date: min_temp from -2.4 to 4.4, max_temp up to 14.1, rain_mm up to 16;"
        " two days of Castle Hill.",
        "Daily minimum and maximum temperatures and rain at the station Aldermoor, 2024-03-01 to 2024-03-28, then"
        " Castle Hill.",
    ),
)
CODE = Sample(
    "class RetryQueue:\n    def __init__(self, store, limit=5):\n        self.store = store\n        self.limit = limit\n\n"
    "    def push(self, job):\n        if job.attempts >= self.limit:\n            self.store.bury(job)\n            return"
    " False\n        job.attempts += 1\n        self.store.put(job, delay=2 ** job.attempts)\n        return True\n\n"
    "    def pop(self, now):\n        job = self.store.earliest()\n        if job is None or job.due > now:\n"
    "            return None\n        self.store.remove(job)\n        return job\n\n    def __len__(self):\n"
    "        return self.store.count()\n",
    (
        "RetryQueue keeps jobs in a store: push puts a job back with a delay that doubles with each of its attempts,"
        " and buries it at the limit of 5; pop removes and returns the earliest job that is due.",
        "A queue of jobs to retry. `push` buries a job after too many attempts; `pop(now)` gives the earliest due job.",
    ),
)

BY_LANGUAGE = {"English": ENGLISH, "German": GERMAN, "Chinese": CHINESE}
SAMPLES = [
    *BY_LANGUAGE.values(), DIALOGUE, TABLE, CODE,
    *(_skimmed(_STORY, start) for start in range(0, 6500, 600)), *(_skimmed(_MEETING, start) for start in (0, 900, 1800)),
]  # fmt: skip

FAILURES = [
    "I'm sorry, but I can't help with that request, because it may be protected by copyright.",
    "Leider kann ich diese Anfrage nicht bearbeiten.",
    "作为一个人工智能语言模型，我不能总结这段内容。",
    "عذرًا، لا أستطيع المساعدة في هذا الطلب.",
    "क्षमा करें, मैं इस अनुरोध में मदद नहीं कर सकता।",
    '{"error": {"message": "The server had an error while processing your request", "type": "server_error"}}',
    "<html><body>Access denied | example.org used a firewall to restrict access</body></html>",
    "Sure! Please paste the passage that you would like me to shorten.",
    "Пожалуйста, предоставьте текст.",
    "…",
    "banana <999999> [[[",
    "In quantum mechanics, the Hamiltonian of a system is an operator corresponding to its total energy, including both"
    " kinetic and potential terms.",
    "申し訳ありませんが、このリクエストには対応できません。",
]
