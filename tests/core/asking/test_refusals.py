"""Refusals in many languages are no answers; answers that quote or report someone who refuses are."""

from __future__ import annotations

import pytest

from core.gists.passages import ENGLISH
from readagent import Document, Plan, ReadAgent
from readagent.core.asking.answer_check import AnswerCheck
from readagent.core.model import Ask
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from sessions import sensible

REFUSALS = [
    "I must decline to answer.", "I respectfully decline to answer this question.", "I'd rather not answer that.",
    "I'm not permitted to discuss this topic.", "I can't answer that question.", '"I\'m sorry, I can\'t help."',
    "This request was blocked by our content policy.", "Your request was rejected by our content policy.",
    "The response was filtered due to the content management policy.",
    "Dazu kann ich mich leider nicht äußern.", "Ich kann diese Frage leider nicht beantworten.",
    "Auf diese Frage kann ich leider nicht eingehen.", "Diese Anfrage wurde von unserem Inhaltsfilter blockiert.",
    "Désolé, je ne suis pas en mesure de répondre à cette question.", "Il m'est impossible de répondre.",
    "Je ne suis pas en mesure de vous aider.", "Cette demande a été bloquée par notre politique de contenu.",
    "Lamento no poder responder a esta pregunta.", "Me es imposible responder a su pregunta.",
    "Esta solicitud fue bloqueada por nuestra política de contenido.", "No puedo responder a esa pregunta.",
    "Non posso rispondere a questa domanda.", "Mi dispiace, ma non sono in grado di rispondere.",
    "Não posso responder a essa pergunta.", "Lamento não poder responder a esta pergunta.",
    "Я не могу ответить на этот вопрос.", "Я вынужден отказаться отвечать на этот вопрос.",
    "我无法回答这个问题。", "我拒绝回答这个问题。", "您的请求已被内容审核拦截。",
    "その質問にはお答えできません。", "お答えすることはできません。", "恐れ入りますが、対応いたしかねます。",
    "申し訳ありませんが、そのご質問には回答いたしかねます。", "このリクエストは当社のポリシーに違反しています。",
]  # fmt: skip
QUOTING = [
    '"I\'m sorry, I can\'t help you," says Aksel.', 'He says: "I\'m sorry, but I cannot do that."',
    "‘I’m sorry, I can’t help you,’ says Aksel.", '"I must decline," said Aksel, and went home.',
    "“No puedo responder a esa pregunta”, dice Aksel.",
    "„Es tut mir leid, ich kann dir nicht helfen“, sagt Aksel zum Herrscher.",
    "»Es tut mir leid, ich kann Ihnen nicht helfen«, sagt Aksel.",
    "« Je suis désolé, je ne peux pas vous aider », dit Aksel.",
    "— Je suis désolé, je ne peux pas vous aider, dit Aksel.",
    "«Я не могу ответить на этот вопрос», — говорит Аксель.",
    "「申し訳ありませんが、お手伝いできません」とコルヴィンは言った。",
    '"Please send me the text," Johanna asks the clerk.', '"Try again later," the clerk tells her.',
]  # fmt: skip
CHECK = AnswerCheck("Why does Johanna wait on the quay?", ENGLISH.page)


@pytest.mark.parametrize("label", ["", "Answer: ", "**Answer:** "])
def test_refusals_are_no_answers(label: str) -> None:
    assert [text for text in REFUSALS if not CHECK.problem(label + text)] == []


def test_a_user_gets_the_answer_that_quotes_and_no_refusal() -> None:
    def asked(said: str) -> str:
        agent = ReadAgent(ScriptedModel(lambda ask: reply(ask, said)), plan=Plan(look_up="none"))
        with agent:
            return agent.ask(agent.read(Document.from_text(ENGLISH.page)), "What is said?", check=False).text

    def reply(ask: Ask, said: str) -> str:
        return said if ask.step == "respond" else sensible(ask)

    assert asked(QUOTING[0]) == QUOTING[0]
    with pytest.raises(NoAnswerError, match="refused"):
        asked("Il m'est impossible de répondre.")
