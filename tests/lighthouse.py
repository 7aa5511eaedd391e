"""The same short story in eight languages, with a question about it, the answer, the sentence it rests on, and a gist."""

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
    "fr": Story(
        "French",
        "Au printemps 1987, Marta Lindqvist arriva sur l'île de Nordholm pour s'occuper du phare. Personne d'autre "
        "n'avait voulu du poste, car les hivers étaient longs et le bateau du courrier ne passait que deux fois par "
        "mois. Chaque soir, elle notait le temps qu'il faisait ; elle répara elle-même la vieille lampe et apprit à "
        "lire aux enfants des pêcheurs.\n\n"
        "Au bout de onze ans, l'administration de la capitale décida que la lampe fonctionnerait sans gardien. Marta "
        "fit deux valises, donna ses livres aux enfants et prit le dernier bateau avant les glaces. Elle partit parce "
        "que le phare n'avait plus besoin de gardien.",
        "Pourquoi Marta a-t-elle quitté l'île ?",
        "Parce que le phare n'avait plus besoin de gardien.",
        "À partir de 1987, Marta Lindqvist s'occupe du phare de Nordholm et apprend à lire aux enfants. Onze ans plus "
        "tard, la lampe fonctionne sans gardien et elle prend le dernier bateau.",
        "Le texte ne le dit pas.",
    ),
    "es": Story(
        "Spanish",
        "En la primavera de 1987, Marta Lindqvist llegó a la isla de Nordholm para cuidar del faro. Nadie más había "
        "querido el puesto, porque los inviernos eran largos y el barco del correo solo venía dos veces al mes. Cada "
        "noche anotaba el tiempo que había hecho, reparó ella misma la vieja lámpara y enseñó a leer a los hijos de "
        "los pescadores.\n\n"
        "Al cabo de once años, la administración de la capital decidió que la lámpara funcionara sin farero. Marta "
        "hizo dos maletas, regaló sus libros a los niños y tomó el último barco antes de que llegara el hielo. Se "
        "marchó porque el faro ya no necesitaba farero.",
        "¿Por qué se marchó Marta de la isla?",
        "Porque el faro ya no necesitaba farero.",
        "Desde 1987, Marta Lindqvist cuida del faro de Nordholm y enseña a leer a los niños. Once años después, la "
        "lámpara funciona sin farero y ella toma el último barco.",
        "El texto no lo dice.",
    ),
    "ru": Story(
        "Russian",
        "Весной 1987 года Марта Линдквист приехала на остров Нордхольм, чтобы следить за маяком. Больше никто не хотел "
        "занять это место: зимы были долгими, а почтовый катер приходил только два раза в месяц. Каждый вечер она "
        "записывала погоду, сама починила старую лампу и научила детей рыбаков читать.\n\n"
        "Через одиннадцать лет управление в столице решило, что лампа будет работать без смотрителя. Марта собрала два "
        "чемодана, отдала детям свои книги и уехала последним катером до ледостава. Она уехала, потому что маяку "
        "больше не нужен был смотритель.",
        "Почему Марта уехала с острова?",
        "Потому что маяку больше не нужен был смотритель.",
        "С 1987 года Марта Линдквист следит за маяком на острове Нордхольм и учит детей читать. Через одиннадцать лет "
        "лампа работает без смотрителя, и она уезжает последним катером.",
        "В тексте об этом не сказано.",
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
    "ja": Story(
        "Japanese",
        "一九八七年の春、マルタ・リンドクヴィストは灯台を守るためにノルドホルム島へやって来た。冬が長く、郵便船も月に二度しか来ないので、"
        "ほかにその仕事を望む者はいなかった。彼女は毎晩天気を書きとめ、古いランプを自分で直し、漁師の子どもたちに読み書きを教えた。\n\n"
        "十一年後、首都の役所は、灯台守なしで明かりをともすことに決めた。マルタは二つのかばんに荷物を詰め、子どもたちに本を譲り、"
        "海が凍る前の最後の船に乗った。灯台にはもう灯台守がいらなくなったので、彼女は島を去った。",
        "マルタはなぜ島を去ったのですか。",
        "灯台に灯台守がいらなくなったからです。",
        "一九八七年からマルタはノルドホルム島の灯台を守り、子どもたちに読み書きを教えた。十一年後、明かりは灯台守なしでともり、"
        "彼女は最後の船に乗った。",
        "本文には書かれていません。",
    ),
    "ar": Story(
        "Arabic",
        "في ربيع عام 1987 جاءت مارتا ليندكفيست إلى جزيرة نوردهولم لترعى المنارة. لم يرغب أحد غيرها في هذه الوظيفة، لأن "
        "الشتاء هناك طويل ولأن قارب البريد لا يأتي إلا مرتين في الشهر. كانت تدوّن حالة الطقس كل مساء، وأصلحت المصباح "
        "القديم بنفسها، وعلّمت أطفال الصيادين القراءة.\n\n"
        "بعد أحد عشر عامًا قررت الإدارة في العاصمة أن يعمل المصباح من دون حارس. حزمت مارتا حقيبتين، وأهدت كتبها إلى "
        "الأطفال، وركبت آخر قارب قبل أن يتجمد البحر. رحلت لأن المنارة لم تعد بحاجة إلى حارس.",
        "لماذا غادرت مارتا الجزيرة؟",
        "لأن المنارة لم تعد بحاجة إلى حارس.",
        "منذ عام 1987 ترعى مارتا ليندكفيست منارة نوردهولم وتعلّم الأطفال القراءة. بعد أحد عشر عامًا يعمل المصباح من دون "
        "حارس، فتركب آخر قارب.",
        "النص لا يذكر ذلك.",
    ),
}
