"""The newsgroups."""

from __future__ import annotations

import pytest


@pytest.mark.data
def test_newsgroup_scenarios_meet_their_minima():
    from sfumato.text.data.newsgroups import SCENARIOS, load_newsgroups, scenario_posts

    posts = load_newsgroups()
    assert len(posts) == 18_846
    assert sum(post.train for post in posts) == 11_314
    for name, (authors, groups, train, test) in SCENARIOS.items():
        chosen = scenario_posts(name, posts)
        by_author = {post.author: [p for p in chosen if p.author == post.author] for post in chosen}
        assert len(by_author) == authors
        for own in by_author.values():
            assert sum(p.train for p in own) >= train
            assert sum(not p.train for p in own) >= test
            assert len({p.group for p in own}) >= groups
