"""The README's tour is true: every command prints what the README shows.

With SOURCECORPUS_TEST_REWRITE_README=1 the real outputs are written into the README instead.
"""

import os

import pytest

from sourcecorpus.bridge.sample import load_sample
from tests.process.conftest import Services
from tests.process.readme_tour import output_of, rewrite, steps
from tests.process.waiting import until

pytestmark = pytest.mark.process


def test_the_tour_prints_what_the_readme_shows(services: Services) -> None:
    environment = {
        "SOURCECORPUS_CAPTURE_ADDRESS": services.addresses["capture"],
        "SOURCECORPUS_CORPUS_ADDRESS": services.addresses["corpus"],
        "SOURCECORPUS_DATA_DIR": str(services.folder / "data"),
    }
    with services.client() as client:
        load_sample(client)
    tour = steps()
    assert len(tour) >= 6
    first = tour[0]
    until(lambda: "nothing found" not in "".join(output_of(first.command, environment)))
    until(lambda: "2v" in "".join(output_of("source-corpus sources", environment)))
    outputs = {step.line: output_of(step.command, environment) for step in tour}
    if os.environ.get("SOURCECORPUS_TEST_REWRITE_README"):
        rewrite(outputs)
    for step in steps():
        assert outputs[step.line] == step.promised, step.command
