"""Search over a toy model: every sentence has a language of its own, a table of logits from the last two tokens."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

import pytest
import torch
from torch import Tensor

from regard.errors import UserError
from regard.search import BeamSettings, GreedySettings, Hypothesis, SampleSettings, SearchSettings, search
from regard.search.sample import cut, draw, uniform
from regard.search.state import Sentences, Step

PAD, BOS, EOS = 0, 1, 2
BANNED = (PAD, BOS)
Normalise = Literal["none", "average", "gnmt"]
NORMALISATIONS: tuple[Normalise, ...] = get_args(Normalise)
CASES: list[SearchSettings] = [
    GreedySettings(),
    *[BeamSettings(width=w, normalise=n, coverage=c) for w in (1, 3) for n in NORMALISATIONS for c in (0.0, 0.3)],
    SampleSettings(),
    SampleSettings(temperature=0.7, top_k=3, top_p=0.8, seed=5),
]
SENTENCES = range(8)


def ways(settings: SearchSettings) -> int:
    """How many hypotheses to ask for."""
    return 1 if isinstance(settings, GreedySettings) else settings.width if isinstance(settings, BeamSettings) else 4


@dataclass
class ToyState:
    name_B: Tensor  # which of SENTENCES
    sentence_R: Tensor
    last_R2: Tensor

    def select(self, rows_R: Tensor) -> ToyState:
        sentence_R = self.sentence_R[rows_R]
        assert (sentence_R == sentence_R.sort().values).all(), "a row left its sentence"
        return ToyState(self.name_B, sentence_R, self.last_R2[rows_R])

    def join(self, other: ToyState) -> ToyState:
        shifted = ToyState(other.name_B, other.sentence_R + len(self.name_B), other.last_R2)
        return ToyState(*map(torch.cat, zip(vars(self).values(), vars(shifted).values(), strict=True)))

    def keep(self, sentences_B: Tensor) -> ToyState:
        assert len(sentences_B), "nobody is left: there is no state to keep"
        which_R = torch.isin(self.sentence_R, sentences_B)
        number_R = torch.searchsorted(sentences_B, self.sentence_R[which_R])
        return ToyState(self.name_B[sentences_B], number_R, self.last_R2[which_R])


class Toy:
    def __init__(self, num_words: int = 3, eos: float = 0.0) -> None:
        generator = torch.Generator().manual_seed(3)
        V = num_words + 3
        self.logits_NVVV = torch.randn(len(SENTENCES), V, V, V, generator=generator, dtype=torch.float64) * 2
        self.logits_NVVV[..., list(BANNED)] += 2  # so that it matters that they are banned
        self.logits_NVVV[..., EOS] += eos
        self.num_words = num_words
        self.source_length = [1 + n % 4 for n in SENTENCES]
        self.weights_NVS = torch.zeros(len(SENTENCES), V, max(self.source_length))
        for n, length in enumerate(self.source_length):
            self.weights_NVS[n, :, :length] = torch.rand(V, length, generator=generator).mul(4).softmax(-1)
        self.steps: list[list[int]] = []  # the sentences that took part in each step
        self.num_logits = 0  # rows of them, in all steps

    def step(self, token_R: Tensor, state: ToyState) -> Step[ToyState]:
        assert len(token_R) == len(state.last_R2)
        self.steps.append(state.name_B.tolist())
        self.num_logits += len(token_R)
        name_R = state.name_B[state.sentence_R]
        last_R2 = torch.stack([state.last_R2[:, 1], token_R], dim=1)
        logits_RV = self.logits_NVVV[name_R, last_R2[:, 0], last_R2[:, 1]]
        return Step(logits_RV, self.weights_NVS[name_R, token_R], ToyState(state.name_B, state.sentence_R, last_R2))

    def run(
        self,
        settings: SearchSettings,
        sentences: list[int] | range = SENTENCES,
        max_length: int | None = None,
        prefixes: list[list[int]] | None = None,
        num_best: int = 1,
        sizes: list[int] | None = None,
    ) -> list[list[Hypothesis]]:
        """In batches of these sizes, or all together."""
        self.steps.clear()
        self.num_logits = 0
        sizes = [len(sentences)] if sizes is None else sizes
        firsts = [0, *itertools.accumulate(sizes)]
        assert firsts.pop() == len(sentences)

        def begin(first: int, size: int) -> Sentences[ToyState]:
            some = [*sentences][first : first + size]
            length_B = torch.tensor([self.source_length[n] for n in some])
            return Sentences(
                ToyState(torch.tensor(some), torch.arange(len(some)), torch.full((len(some), 2), PAD)),
                torch.tensor([limit(n) if max_length is None else max_length for n in some]),
                prefixes=None if prefixes is None else prefixes[first : first + size],
                numbers=None if sentences is SENTENCES and size == len(SENTENCES) else some,
                source_mask_BS=torch.arange(max(self.source_length)) < length_B[:, None],
            )

        batches = map(begin, firsts, sizes)
        return search(settings, batches, self.step, bos=BOS, eos=EOS, banned=BANNED, num_best=num_best)

    def forced(self, sentence: int, tokens: tuple[int, ...]) -> float:
        """The log-probability of these tokens, EOS among them if it is to count."""
        said = (PAD, BOS, *tokens)
        logprobs_VVV = self.logits_NVVV[sentence].log_softmax(-1)
        return sum(float(logprobs_VVV[context]) for context in zip(said, said[1:], said[2:], strict=False))

    def score(self, settings: BeamSettings, sentence: int, tokens: tuple[int, ...]) -> float:
        length = len(tokens)
        divisor = {"none": 1.0, "average": length, "gnmt": math.pow(5 + length, settings.alpha) / 6**settings.alpha}
        reads = [self.weights_NVS[sentence, token].tolist() for token in (BOS, *tokens[:-1])]
        seen = [sum(weights[s] for weights in reads) for s in range(self.source_length[sentence])]
        penalty = settings.coverage * sum(math.log(min(total, 1)) for total in seen)
        return self.forced(sentence, tokens) / divisor[settings.normalise] + penalty

    def all_hypotheses(self, settings: BeamSettings, sentence: int, max_length: int) -> list[Hypothesis]:
        """Exhaustive search, best first."""
        found = []
        for length in range(max_length + 1):
            for words in itertools.product(range(3, 3 + self.num_words), repeat=length):
                finished = length < max_length
                tokens = (*words, EOS) if finished else words
                score = self.score(settings, sentence, tokens)
                found.append(Hypothesis(words, self.forced(sentence, tokens), score, finished))
        return sorted(found, key=lambda h: (h.finished, h.score), reverse=True)


def limit(sentence: int) -> int:
    return 3 + 5 * sentence % 7


def same(a: list[list[Hypothesis]], b: list[list[Hypothesis]]) -> bool:
    def numbers(hypotheses: list[list[Hypothesis]]) -> list[float]:
        return [x for some in hypotheses for h in some for x in (h.logprob, h.score)]

    def words(hypotheses: list[list[Hypothesis]]) -> list[list[tuple[tuple[int, ...], bool]]]:
        return [[(h.tokens, h.finished) for h in some] for some in hypotheses]

    return words(a) == words(b) and numbers(a) == pytest.approx(numbers(b), abs=1e-5)


def test_every_search_is_tested() -> None:
    assert {type(case) for case in CASES} == set(get_args(SearchSettings))


def test_settings_need_no_torch() -> None:
    code = "import sys, regard.search; sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_logprob_is_that_of_forced_decoding(settings: SearchSettings) -> None:
    toy = Toy()
    for n, hypotheses in enumerate(toy.run(settings, num_best=ways(settings))):
        assert hypotheses
        for h in hypotheses:
            tokens = (*h.tokens, EOS) if h.finished else h.tokens
            assert h.logprob == pytest.approx(toy.forced(n, tokens))
            if isinstance(settings, BeamSettings):
                assert h.score == pytest.approx(toy.score(settings, n, tokens), abs=1e-5)
            else:
                assert h.score == h.logprob


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_length_and_tokens_keep_the_rules(settings: SearchSettings) -> None:
    endings: Counter[bool] = Counter()
    for n, hypotheses in enumerate(Toy(eos=-1.0).run(settings, num_best=ways(settings))):
        for h in hypotheses:
            assert not {PAD, BOS, EOS} & set(h.tokens)
            assert len(h.tokens) < limit(n) if h.finished else len(h.tokens) == limit(n)
            endings[h.finished] += 1
    assert len(endings) == 2, "the toy shows both ways to end"


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_a_sentence_does_not_depend_on_its_batch(settings: SearchSettings) -> None:
    toy, num_best = Toy(), ways(settings)
    together = toy.run(settings, num_best=num_best)
    backwards = [5, 0, 7, 6, 1, 3, 4, 2]
    assert same(toy.run(settings, backwards, num_best=num_best), [together[n] for n in backwards])
    for n in SENTENCES:
        assert same(toy.run(settings, [n], num_best=num_best), [together[n]])


@pytest.mark.parametrize("sizes", [[1] * 8, [2, 3, 3], [3, 1, 4], [1, 0, 7], [6, 2]], ids=str)
@pytest.mark.parametrize("settings", CASES, ids=str)
def test_a_sentence_does_not_depend_on_those_that_came_before(settings: SearchSettings, sizes: list[int]) -> None:
    toy, num_best = Toy(), ways(settings)
    prefixes = [[], [3], [5, 4, 3], [], [4] * 20, [3, 3], [5], [4, 5, 4]]
    for first in (None, prefixes):
        together = toy.run(settings, prefixes=first, num_best=num_best)
        assert same(toy.run(settings, prefixes=first, num_best=num_best, sizes=sizes), together)


def test_a_beam_takes_a_batch_in_when_others_have_left() -> None:
    """Never more than two batches' sentences at once, and fewer than one batch's only after the last has come."""
    toy = Toy()
    toy.run(BeamSettings(width=3), sizes=[2, 2, 2, 2])
    first_steps = [step for step in toy.steps if set(step) in ({0, 1}, {2, 3}, {4, 5}, {6, 7})]
    assert first_steps[0] == [0, 1] and toy.steps[1] == [2, 3], "with room for two, two are begun"
    assert max(map(len, toy.steps)) == 4
    last = next(number for number, step in enumerate(toy.steps) if 7 in step)
    assert all(len(step) >= 2 for step in toy.steps[:last])
    assert any(min(step) < 2 * (max(step) // 2) for step in toy.steps), "sentences of different batches go together"


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_sentences_leave_when_they_are_done(settings: SearchSettings) -> None:
    toy = Toy()
    alone = []
    for n in SENTENCES:
        toy.run(settings, [n])
        alone.append(len(toy.steps))
    toy.run(settings)
    assert [sum(n in step for step in toy.steps) for n in SENTENCES] == alone
    assert len(set(alone)) > 2


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_prefix_is_said_first(settings: SearchSettings) -> None:
    toy, num_best = Toy(), ways(settings)
    prefixes = [[], [3], [5, 4, 3], [], [4] * 20, [3, 3], [5], [4, 5, 4]]
    for n, hypotheses in enumerate(toy.run(settings, prefixes=prefixes, num_best=num_best)):
        assert same([hypotheses], toy.run(settings, [n], prefixes=[prefixes[n]], num_best=num_best))
        for h in hypotheses:
            assert h.tokens[: len(prefixes[n])] == tuple(prefixes[n])
            assert len(h.tokens) <= max(limit(n), len(prefixes[n]))
            assert h.logprob == pytest.approx(toy.forced(n, (*h.tokens, EOS) if h.finished else h.tokens))
    assert same(toy.run(settings), toy.run(settings, prefixes=[[]] * 8))


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_no_sentences(settings: SearchSettings) -> None:
    assert Toy().run(settings, []) == []


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_a_model_that_gives_no_numbers_is_refused(settings: SearchSettings) -> None:
    toy = Toy()
    toy.logits_NVVV[3, PAD, BOS, 4] = torch.nan
    with pytest.raises(UserError, match="not numbers"):
        toy.run(settings)


def test_greedy_takes_the_most_probable_token() -> None:
    toy = Toy()
    for n, [h] in enumerate(toy.run(GreedySettings())):
        said: tuple[int, ...] = ()
        for token in (*h.tokens, EOS) if h.finished else h.tokens:
            options = {word: toy.forced(n, (*said, word)) for word in range(2, 6)}
            assert token == max(options, key=options.__getitem__)
            said = (*said, token)


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_beam_of_one_is_greedy(normalise: Normalise) -> None:
    toy = Toy(num_words=9)
    greedy = toy.run(GreedySettings(), max_length=12)
    one = toy.run(BeamSettings(width=1, normalise=normalise), max_length=12)
    assert [h.tokens for [h] in one] == [h.tokens for [h] in greedy]
    assert [(h.finished, h.logprob) for [h] in one] == [(h.finished, h.logprob) for [h] in greedy]


@pytest.mark.parametrize("coverage", [0.0, 0.4])
@pytest.mark.parametrize("normalise", NORMALISATIONS)
@pytest.mark.parametrize("num_best", [1, 3, 200])
def test_wide_beam_is_exhaustive_search(normalise: Normalise, coverage: float, num_best: int) -> None:
    toy = Toy()
    settings = BeamSettings(width=200, normalise=normalise, coverage=coverage, margin=0)
    wide = toy.run(settings, max_length=4, num_best=num_best)
    every = [toy.all_hypotheses(settings, n, 4)[:num_best] for n in SENTENCES]
    assert same(wide, every)


@pytest.mark.parametrize("coverage", [0.0, 0.4])
@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_best_are_sorted_and_distinct(normalise: Normalise, coverage: float) -> None:
    settings = BeamSettings(width=6, normalise=normalise, coverage=coverage)
    for hypotheses in Toy().run(settings, num_best=6):
        assert len({h.tokens for h in hypotheses}) == len(hypotheses) == 6
        ranks = [(h.finished, h.score) for h in hypotheses]
        assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_beam_stops_when_no_open_hypothesis_can_win(normalise: Normalise) -> None:
    """Where the ten best are wanted it must search on, to find the same best one."""
    toy = Toy(eos=3.0)
    settings = BeamSettings(width=20, normalise=normalise)
    one = toy.run(settings, max_length=9)
    steps_for_one = sum(map(len, toy.steps))
    several = toy.run(settings, max_length=9, num_best=10)
    steps_for_several = sum(map(len, toy.steps))
    assert steps_for_one < steps_for_several <= 9 * len(SENTENCES)
    assert same(one, [some[:1] for some in several])


def test_what_is_far_behind_is_given_up() -> None:
    toy, asked, found = Toy(), [], []
    for margin in (0, 1e6, 3, 0.5):
        found.append(toy.run(BeamSettings(width=4, margin=margin)))
        asked.append(toy.num_logits)
    assert same(found[0], found[1]) and asked[0] == asked[1]
    assert asked[1] > asked[2] > asked[3]
    toy.run(BeamSettings(width=4, margin=1e-9))
    assert toy.num_logits == sum(map(len, toy.steps)), "of each sentence the best alone"


def test_whoever_wants_several_gets_them_with_any_margin() -> None:
    toy = Toy()
    narrow, wide = (toy.run(BeamSettings(width=4, margin=margin), num_best=4) for margin in (0.1, 0))
    assert same(narrow, wide) and all(len(some) == 4 for some in wide)


def test_less_patience_takes_fewer_steps_and_gives_as_many() -> None:
    toy, taken = Toy(eos=2.0), []
    for patience in (1.0, 0.5, 0.1):
        found = toy.run(BeamSettings(width=10, patience=patience), max_length=12, num_best=2)
        assert all(len(some) == 2 and some[0].finished for some in found)
        taken.append(sum(map(len, toy.steps)))
    assert taken[0] > taken[1] > taken[2]


def test_unlooked_at_source_costs_but_does_not_forbid() -> None:
    toy = Toy()
    toy.weights_NVS[1, :, 0], toy.weights_NVS[1, :, 1] = 0.0, 1.0
    [[h]] = toy.run(BeamSettings(coverage=0.1), [1])
    assert math.isfinite(h.score)
    assert h.score < toy.run(BeamSettings(), [1])[0][0].score


@pytest.mark.parametrize("num_words", [1, 2])
def test_beam_wider_than_the_vocabulary(num_words: int) -> None:
    toy, settings = Toy(num_words), BeamSettings(width=40)
    wide = toy.run(settings, max_length=3, num_best=40)
    assert same(wide, [toy.all_hypotheses(settings, n, 3) for n in SENTENCES])


@pytest.mark.parametrize(("settings", "num_best"), [(GreedySettings(), 2), (BeamSettings(width=3), 4), (CASES[0], 0)])
def test_more_than_search_can_give_is_refused(settings: SearchSettings, num_best: int) -> None:
    with pytest.raises(UserError, match=str(num_best)):
        Toy().run(settings, num_best=num_best)


@pytest.mark.parametrize(
    "settings", [SampleSettings(top_k=1), SampleSettings(top_p=1e-9), SampleSettings(temperature=1e-4)]
)
def test_sampling_the_best_token_is_greedy(settings: SampleSettings) -> None:
    toy = Toy()
    assert same(toy.run(settings), toy.run(GreedySettings()))


def test_samples_are_as_frequent_as_they_are_probable() -> None:
    toy, num_draws = Toy(), 3000
    # what is banned cannot be drawn: the rest shares its probability, token by token
    toy.logits_NVVV[..., list(BANNED)] = -torch.inf
    [draws] = toy.run(SampleSettings(), [2], max_length=2, num_best=num_draws)
    counts = Counter(h.tokens for h in draws)
    every = toy.all_hypotheses(BeamSettings(normalise="none"), 2, 2)
    expected = {h.tokens: math.exp(h.logprob) * num_draws for h in every}
    assert sum(expected.values()) == pytest.approx(num_draws)
    chi_square = sum((counts[tokens] - mean) ** 2 / mean for tokens, mean in expected.items())
    assert chi_square < 32.9, "p < 0.001 for 12 degrees of freedom"
    assert [h.tokens for h in draws] != sorted((h.tokens for h in draws), reverse=True)


def test_seed_and_number_decide_the_sample() -> None:
    toy = Toy()
    three = toy.run(SampleSettings(seed=7), num_best=3)
    assert three == toy.run(SampleSettings(seed=7), num_best=3)
    assert [some[:1] for some in three] == toy.run(SampleSettings(seed=7)), "the first draw is the same of one or three"
    assert three != toy.run(SampleSettings(seed=8), num_best=3)
    assert len({h.tokens for h in toy.run(SampleSettings(), [4], num_best=20)[0]}) > 1


def test_every_sample_has_its_own_numbers() -> None:
    draws = [uniform(*key, 3).tolist() for key in itertools.product((1, 2), (0, 1), (0, 1))]
    assert len(set(map(tuple, draws))) == 8
    assert uniform(1, 0, 0, 9)[:3].tolist() == draws[0], "a longer sentence in the batch does not change the rest"


def test_cut_keeps_the_fewest_tokens_that_reach_the_share() -> None:
    probs_RV = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.97, 0.01, 0.01, 0.01]], dtype=torch.float64)

    def kept(top_k: int, top_p: float) -> list[list[int]]:
        return [row.nonzero()[:, 0].tolist() for row in cut(probs_RV, top_k, top_p)]

    assert kept(0, 1.0) == [[0, 1, 2, 3], [0, 1, 2, 3]]
    assert kept(0, 0.65) == [[1, 3], [0]]
    assert kept(0, 0.75) == [[1, 2, 3], [0]]
    assert kept(2, 1.0)[0] == [1, 3]
    assert kept(2, 0.5)[0] == [1]  # 0.4 of 0.7 is more than half
    assert kept(9, 0.01) == [[1], [0]]


def test_draw_is_the_inverse_of_the_cumulative_distribution() -> None:
    probs_RV = torch.tensor([[0.0, 0.5, 0.0, 0.25, 0.0]], dtype=torch.float64).expand(5, 5)
    uniform_R = torch.tensor([0.0, 0.6, 0.7, 0.99, 1.0], dtype=torch.float64)
    assert draw(probs_RV, uniform_R).tolist() == [1, 1, 3, 3, 3]


@pytest.mark.parametrize("normalise", get_args(Normalise))
@pytest.mark.parametrize("width", [2, 3, 5, 8])
def test_early_ends_of_a_smoothed_model_do_not_end_the_search(normalise: Normalise, width: int) -> None:
    """A model that is sure of 0 1 2 … but, being smoothed, gives every other token a little, EOS among them."""
    length, num_tokens = 9, 14

    @dataclass
    class Place:
        position_R: Tensor

        def select(self, rows_R: Tensor) -> Place:
            return Place(self.position_R[rows_R])

        def keep(self, sentences_B: Tensor) -> Place:
            return self

        def join(self, other: Place) -> Place:
            raise AssertionError("there is but one batch")

    def step(token_R: Tensor, place: Place) -> Step[Place]:
        right_R = torch.where(place.position_R < length, 3 + place.position_R, EOS)
        probs_RV = torch.full((len(token_R), num_tokens), 0.1 / num_tokens)
        probs_RV[torch.arange(len(token_R)), right_R.clamp(max=num_tokens - 1)] += 0.9
        return Step(probs_RV.log(), None, Place(place.position_R + 1))

    settings = BeamSettings(width=width, normalise=normalise)
    batch = Sentences(Place(torch.zeros(1, dtype=torch.long)), torch.tensor([25]))
    [[best]] = search(settings, [batch], step, bos=BOS, eos=EOS, banned=BANNED)
    assert best.tokens == tuple(range(3, 3 + length))
