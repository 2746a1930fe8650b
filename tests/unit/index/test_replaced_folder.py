"""A writer whose index folder is taken away while it is at work, and another has begun anew."""

import pytest

from gitsearch.errors import Damaged
from gitsearch.index.facts_writer import reopened
from gitsearch.index.update_counts import Counters
from gitsearch.index.view_builder import ViewBuilder
from gitsearch.store import layout, lock
from tests.unit.commands.asked import indexed, session


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_who_has_locked_a_folder_that_is_gone_adds_nothing_to_the_new_one(sample, tmp_path):
    own = session(sample.path)
    folder = own.store.folder
    layout.prepare(folder)
    with lock.writer(folder, 0):
        assert lock.is_ours(folder)
        folder.rename(tmp_path / "taken")
        assert not lock.is_ours(folder)
        indexed(sample)
        before = contents(folder)
        assert before
        builder = ViewBuilder(own.repo, own.reopened_store(), own.progress, Counters())
        with pytest.raises(Damaged, match="replaced"):
            builder.make(sample.rev("HEAD~3^{tree}"))
    assert contents(folder) == before


def test_a_record_that_is_gone_when_it_is_opened_again(tmp_path):
    with pytest.raises(Damaged, match="replaced"):
        reopened(tmp_path / layout.RECORD, layout.vectors_name("0" * 16, "0" * 8))
