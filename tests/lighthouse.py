"""The same short story in three languages, with a question about it, the answer, the sentence it rests on, and a gist."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Story:
    """The story in one language. ``quote`` is its last sentence."""

    language: str
    text: str
    question: str
    answer: str
    gist: str
    absent: str

    @property
    def quote(self) -> str:
        line = self.text.rpartition("\n")[2]
        return line[line[:-1].replace("。", ".").rfind(".") + 1 :].strip()


STORIES = {
    "en": Story(
        "English",
        "In the spring of 1987 Marta Lindqvist came to the island of Nordholm to look after the lighthouse. Nobody else "
        "had wanted the post, because the winters were long and the mail boat came only twice a month. She wrote down "
        "the weather every evening, repaired the old lamp herself and taught the fishermen's children to read.\n\n"
        "After eleven years the authority in the capital decided that the lamp should run without a keeper. Marta "
        "packed two suitcases, gave the children her books and took the last boat before the ice. She left because the "
        "lighthouse no longer needed a keeper.",
        "Why did Marta leave the island?",
        "Because the lighthouse no longer needed a keeper.",
        "Marta Lindqvist looks after the lighthouse of Nordholm from 1987 and teaches the children. After eleven years "
        "the lamp runs without a keeper, and she takes the last boat.",
        "The text does not say.",
    ),
    "de": Story(
        "German",
        "Im Frühjahr 1987 kam Marta Lindqvist auf die Insel Nordholm, um sich um den Leuchtturm zu kümmern. Niemand "
        "sonst hatte die Stelle gewollt, denn die Winter waren lang, und das Postboot kam nur zweimal im Monat. Sie "
        "schrieb jeden Abend das Wetter auf, reparierte die alte Lampe selbst und brachte den Kindern der Fischer das "
        "Lesen bei.\n\n"
        "Nach elf Jahren beschloss die Behörde in der Hauptstadt, dass die Lampe ohne Wärter brennen sollte. Marta "
        "packte zwei Koffer, schenkte den Kindern ihre Bücher und nahm das letzte Boot vor dem Eis. Sie ging, weil der "
        "Leuchtturm keinen Wärter mehr brauchte.",
        "Warum hat Marta die Insel verlassen?",
        "Weil der Leuchtturm keinen Wärter mehr brauchte.",
        "Marta Lindqvist kümmert sich ab 1987 um den Leuchtturm von Nordholm und unterrichtet die Kinder. Nach elf "
        "Jahren brennt die Lampe ohne Wärter, und sie nimmt das letzte Boot.",
        "Der Text sagt dazu nichts.",
    ),
    "zh": Story(
        "Chinese",
        "一九八七年春天，玛尔塔·林德奎斯特来到诺德霍尔姆岛看守灯塔。别人都不愿意接这份差事，因为冬天漫长，邮船每个月只来两次。"
        "她每天晚上记下天气，亲手修好了那盏旧灯，还教渔民的孩子们识字。\n\n"
        "十一年后，首都的主管部门决定让灯自动运行，不再派人看守。玛尔塔收拾了两只箱子，把书送给孩子们，赶在结冰之前坐上了最后一班船。"
        "她离开，是因为灯塔不再需要看守人了。",
        "玛尔塔为什么离开小岛？",
        "因为灯塔不再需要看守人了。",
        "一九八七年起，玛尔塔在诺德霍尔姆岛看守灯塔，教孩子们识字。十一年后灯自动运行，她坐最后一班船离开。",
        "文中没有提到。",
    ),
}
