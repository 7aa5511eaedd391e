"""Claims about our two example texts, in pairs of a true and a false one that differ little."""

from __future__ import annotations

CLAIMS: dict[str, tuple[tuple[str, str], ...]] = {
    "story": (
        (
            "The brass weight from the tin weighed one hundred and eighty-eight grams.",
            "The brass weight from the tin weighed two hundred and twelve grams.",
        ),
        (
            "The counterfoils showed that Jakob Orsin had sent twenty-two crowns a quarter to Irma Valk.",
            "The counterfoils showed that Irma Valk had sent twenty-two crowns a quarter to Jakob Orsin.",
        ),
        ("The key from the tin opened a gate on the sweet canal.", "The key from the tin opened the chairman's house."),
        (
            "Anselm Roth's barge was on the slip at Marn in September 1959.",
            "Anselm Roth's barge was moored at Brenza in September 1959.",
        ),
        (
            "Jakob Orsin had proposed that the culvert under Store Three be stopped with brick.",
            "Bruno Castell had proposed that the culvert under Store Three be stopped with brick.",
        ),
        ("Mira became a verifier of weights and measures.", "Mira became a cashier at the co-operative."),
        (
            "The dial read six kilograms under at the north-east corner.",
            "The dial read six kilograms over at the south-west corner.",
        ),
        (
            "Under Rule Nine the whole household of whoever opens water out of turn loses pan, house and share.",
            "Under Rule Nine whoever opens water out of turn pays a fine of nine hundred crowns.",
        ),
        ("After leaving Brenza Mira's father was a night watchman.", "After leaving Brenza Mira's father ran a barge."),
        (
            "The members declined the offer of Northern Alkali for that year.",
            "The members accepted the offer of Northern Alkali for that year.",
        ),
        (
            "In the socket of the missing weight stood a wine cork.",
            "In the socket of the missing weight stood a pencil stub.",
        ),
        (
            "When the gun was fired in 1959 Jakob Orsin stood on the start platform with the flag.",
            "When the gun was fired in 1959 Jakob Orsin was down in the culvert with a lantern.",
        ),
    ),
    "meeting": (
        (
            "The van was offered to the library for three thousand eight hundred pounds.",
            "The van was offered to the library for nine hundred pounds.",
        ),
        ("Marta abstained in the first vote on the van.", "Douglas abstained in the first vote on the van."),
        (
            "The evening opening is to be on Thursdays from half past five.",
            "The evening opening is to be on Mondays from half past six.",
        ),
        (
            "Callum lost the top of a fingernail at the bandsaw.",
            "Gordon lost the top of a fingernail at the bandsaw.",
        ),
        (
            "The insurance premium turned out to be thirteen hundred and ten pounds.",
            "The insurance premium turned out to be eleven hundred and eighty pounds.",
        ),
        ("The Harcourt money has not been paid out yet.", "The Harcourt money has been in the bank since February."),
        (
            "The committee left the question of late fees open until April.",
            "The committee decided to charge a pound a day for late returns.",
        ),
        ("The open day will be on the twentieth of May.", "The open day will be on the third of June."),
        ("Sam's mother will bake the scones for the open day.", "Joan will bake the scones for the open day."),
        (
            "A cargo trike is to be hired for sixty pounds a month.",
            "A cargo trike is to be bought for sixty pounds.",
        ),
        (
            "The wallpaper steamer had been put down in the hall kitchen by Sam.",
            "The wallpaper steamer had been lent to a member by Keith.",
        ),
        (
            "The damp patch is above the shelf with the sanders.",
            "The damp patch is behind the rack with the hedge trimmers.",
        ),
    ),
}
