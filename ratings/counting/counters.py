"""Which counter each measure reads, and in which slices it is given."""

from parlour.games.families.gossip_games import TONES
from parlour.ratings.counting.impostor import ENDINGS, TIE_SIZES

PLAIN = {
    "judgment": "judgment",
    "reasoning": "reasoning",
    "deception_base": "deceived",
    "cooperation": "agreed",
    "coordination": "authored",
    "coordination_all": "authored_of_all",
    "rationality": "rational",
    "fault_rate": "faults",
    "cooperation_ratio": "cooperated",
    "honesty": "honest",
    "truthful_gossip": "truthful",
    **{f"tone_{tone}": f"tone_{tone}" for tone in TONES},
    "impostor_win": "impostor_won",
    "majority_win": "majority_won",
    "detection_accuracy": "detected",
    "self_declaration": "declared",
    "guess_success": "guessed_word",
    "coalition_efficiency": "converted",
    "vote_coordination": "voted_alike",
    "tie_rate": "tied",
    "tied_impostor": "impostor_tied",
    "trust_formation": "trusted",
    "betrayal_rate": "betrayed",
    "trust_recovery": "recovered",
    "implicit_coordination": "implicit",
    "strategy_alignment": "aligned",
    "collaboration_success": "collaborated",
}
"""Measures that are one count of k in n, with the counter each one reads."""
SLICED = (
    "cooperation_ratio",
    "truthful_gossip",
    *(f"tone_{tone}" for tone in TONES),
    "cooperation",
    "rationality",
)
"""Plain measures that are also given by partner, by what was observed or by setting, in the role
column."""
SLICES = (("impostor_win", "impostor_won_in_half"), ("accusation", "accused"))
"""Plain measures by half of an experiment or by the agent named: their own counters."""
PARTS = {
    "ending_share": ("ended", ENDINGS),
    "tie_size": ("tied_so_many", TIE_SIZES),
}
"""Measures that say how a whole falls into parts, in the role column: counter and parts."""
MEANS = {
    "payoff": "payoff",
    "welfare": "welfare",
    "image_score": "image_score",
    "reward_per_round": "reward",
    "discounted_return": "return",
    "gini": "gini",
    "investment_ratio": "invested",
    "return_ratio": "returned",
    "cost": "cost",
    "score": "score",
    "payback": "payback",
    "contribution": "contribution",
    "impostor_win_sym_candidate": "won_by_candidate",
    "impostor_win_sym_side": "won_by_side",
    "centrality": "centrality",
    "reach": "reach",
    "brokerage": "brokerage",
    "vote_in_degree": "vote_in_degree",
    "vote_pagerank": "vote_pagerank",
    "vote_betweenness": "vote_betweenness",
    "description_length": "description_length",
    "vocabulary_convergence": "converged_words",
    "style_mirroring": "mirrored",
}
"""Measures that are means, with the counter each one reads; by game only."""
SLICED_MEANS = (
    ("cost", "cost"),
    ("score", "score"),
    ("payback", "payback"),
    ("contribution", "contribution"),
    ("contribution", "contribution_of_a_round"),
    ("investment_ratio", "invested"),
    ("return_ratio", "returned"),
    ("vote_in_degree", "vote_in_degree"),
    ("vote_pagerank", "vote_pagerank"),
    ("vote_betweenness", "vote_betweenness"),
)
"""Means also given by setting, round, partner or role, in the role column: their counters."""
