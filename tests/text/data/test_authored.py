"""Public texts with authors."""

from __future__ import annotations

from collections import Counter

import pytest


@pytest.mark.data
def test_articles_and_reviews_have_their_authors():
    from sfumato.text.data.authored import load_c50, load_yelp

    articles = load_c50()
    assert len(articles) == 5000
    assert set(Counter(one.author for one in articles).values()) == {100}
    assert sum(one.train for one in articles) == 2500
    reviews = load_yelp()
    written = Counter(one.author for one in reviews)
    assert (len(reviews), len(written), max(written.values())) == (10_000, 6403, 38)
    assert {one.mood for one in reviews} == {"good", "bad"}
