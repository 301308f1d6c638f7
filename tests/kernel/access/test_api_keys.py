"""The form of API keys, and what is stored of them."""

from __future__ import annotations

import pytest

from foreknow.kernel.access.api_keys import PARTNER_KEY, USER_KEY, KeyForm, hash_key

DIGITS = "0123456789abcdef" * 4


@pytest.mark.parametrize("prefix", ["fkp_", "fku_"])
def test_a_key_is_its_prefix_and_256_bits_that_differ_each_time(prefix: str) -> None:
    form = KeyForm(prefix)
    first, second = form.new(), form.new()

    assert first != second
    assert first.startswith(prefix)
    assert len(bytes.fromhex(first.removeprefix(prefix))) == 32
    assert form.of(DIGITS) == prefix + DIGITS
    assert all(form.fits(key) for key in (first, second, prefix + DIGITS))


@pytest.mark.parametrize(
    "text", ["", DIGITS, f"fku_{DIGITS}", f"fkp_{DIGITS}0", f"fkp_{DIGITS[1:]}", f"fkp_{DIGITS}\n"]
)
def test_a_text_of_another_form_is_no_key_of_a_partner(text: str) -> None:
    assert not PARTNER_KEY.fits(text)
    assert not KeyForm("fkp_").fits(text)


def test_keys_of_users_are_none_of_partners() -> None:
    assert USER_KEY.fits(f"fku_{DIGITS}")
    assert not USER_KEY.fits(f"fkp_{DIGITS}")


def test_a_key_is_stored_as_its_sha_256() -> None:
    # printf %s fkp_0123456789abcdef | sha256sum
    assert hash_key("fkp_0123456789abcdef") == "cd4dd02fa0eb208da39b54ebb1efe039daf78031887cad62904fb9964a59dae1"
