"""A chat that remembers: `python examples/chat_memory.py [FOLDER]`, offline and without a key.

Two people talk for weeks. The newest turns are kept as they are, older ones as gists that get shorter with age, and
everything stays in a library, so that the chat continues where it stopped. The offline reader writes the gists, or a
scripted stand-in if its weights are not installed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from readagent import Conversation, Library, Plan, ReadAgent
from readagent.errors import UsageError
from readagent.testing import Skimmer

PLAN = Plan(page_words=120, min_page_words=50, recent=4, floor_words=12)
DAYS = (
    ("the boat shed", "the roof leaks over the bench", "a roll of felt from Harkin's, 14 metres"),
    ("the engine", "it knocks when it is cold", "a new thermostat, number T-88"),
    ("the name", "Petrel is taken in our harbour", "Storm Petrel, painted in green"),
    ("the trip", "the islands are closed in May", "the first week of June, from the north pier"),
    ("the crew", "Jonas cannot come", "Ilse, who has the radio licence"),
    ("the sails", "the main is torn at the second reef", "Marten mends it for two bottles of rum"),
    ("the insurance", "they want a survey first", "Mrs. Oduya surveys on Tuesdays"),
    ("the dinghy", "it is too heavy to lift alone", "we borrow the red one from the club"),
)


def main(folder: Path) -> None:
    """Talk, ask, and go on after a restart."""
    with Library(folder) as library, agent(library) as reader:
        chat = Conversation(reader, "the boat", plan=PLAN)
        for subject, trouble, settled in DAYS:
            chat.add("You", f"What about {subject}? I think {trouble}, and I do not know what to do about it.")
            chat.add("Assistant", f"About {subject}: I would settle it so: {settled}. Tell me if that changes.")
            chat.add("You", f"Good, let us do that with {subject}, and speak of it again when it is done.")
        memory = chat.memory()
        print(f"{memory.full_words} words in {len(memory.pages)} pages; the last holds the newest turns as they are.")
    with Library(folder) as library, agent(library) as reader:  # as after a restart
        chat = Conversation(reader, "the boat", plan=PLAN)
        print("\nWhat the next turn is given, in at most 150 words:\n")
        print(chat.context(150))
        answer = chat.ask("What is the number of the new thermostat?")
        print(f"\nQuestion: {answer.question.text}\nAnswer: {answer.text}")
        for quote in answer.quotes:
            print(f'  "{quote.text}" (page {quote.page})')


def agent(library: Library) -> ReadAgent:
    """Return the offline reader, or a scripted stand-in if its weights are not installed."""
    local = ReadAgent.local(library=library)
    try:
        local.window()  # connects, which needs the weights
    except UsageError:
        local.close()
        return ReadAgent(Skimmer(), library=library)
    return local


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder))
