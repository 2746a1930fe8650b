"""What is wrong with a model folder is said in one line that names it; what is sound passes."""

import pytest

from gitsearch.errors import BadModel
from gitsearch.features.embedding import PACKAGED, Model
from tests.unit.features.bad_models import BAD, WORDS, bad_model
from tests.unit.features.models import write_model


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_folder_is_refused_by_name_with_the_reason(tmp_path, fault):
    folder = tmp_path / "some model"
    reason = bad_model(folder, fault)
    with pytest.raises(BadModel) as refused:
        Model(folder).check()
    line = f"{refused.value.message}; {refused.value.hint}"
    assert f"'{folder}'" in line
    assert reason in line
    assert "\n" not in line


def test_a_sound_model_passes(tmp_path):
    Model(write_model(tmp_path / "m", WORDS)).check()
    Model(PACKAGED).check()


def test_a_name_that_is_too_long_for_a_file_is_refused(tmp_path):
    with pytest.raises(BadModel, match="too long"):
        Model(tmp_path / ("x" * 300))


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_file_that_goes_away_meanwhile_is_refused(tmp_path, file):
    model = Model(write_model(tmp_path / "m", WORDS))
    (model.folder / file).unlink()
    with pytest.raises(BadModel, match="/m'"):
        model.fingerprint()
