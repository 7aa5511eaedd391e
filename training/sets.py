"""The sets of questions that the reader is trained and tested on."""

from __future__ import annotations

SETS = ("fairytaleqa", "friendsqa", "molweni_test", "policyqa", "cuad", "tydiqa_en", "squad11_train",
        "nq_open_oracle", "qamr", "covidqa", "qed_dev", "clapnq_dev", "xquad_en", "onestopqa", "boolq",
        "written")  # fmt: skip
