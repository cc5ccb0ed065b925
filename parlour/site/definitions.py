"""Definitions of the measures and the methods of a report, in short; docs/measures.md has all."""

METHODS = (
    "Everything on this page is computed from the finished matches of one save. Strength comes"
    " from one probit model of all paired outcomes with weak normal priors on agents, games and"
    " roles (Thurstone 1927); its errors are by a jackknife over clusters, and at least the"
    " model's own. Ranks follow from the differences of all pairs, and at most one table in twenty"
    " has any false order (Mogstad, Romano, Shaikh and Wilhelm 2024). The order of the"
    " matches does not matter for it.",
    "Intervals are at 95 %. Shares have Wilson's, with n replaced by the effective sample size"
    " where answers of one cluster are alike; means have Student's t, with cluster-robust errors."
    " Fewer than 5 clusters in a game are too few. An interval does not allow"
    " for the many comparisons that a page invites.",
    "A missing value is a dash and never 0. An answer that stays invalid after two repairs is a"
    " fault, and a fallback takes its place; a faulty vote, role or belief counts as wrong, and a"
    " faulty decision is left out.",
    "The matches told in full are picked by rule. Surprise: the bits of surprise (−log₂ of the"
    " probability) of the paired outcomes by the strength model fitted to all matches, on average"
    " over the pairs of the match. Swing: the largest move of a TrueSkill μ over its σ before,"
    " from the agent's fourth rated match on. Closest: the smallest lead that is not a tie, in"
    " votes over the ballot, or in payoff over the largest payoff. Of equals, the first.",
)
"""The paragraphs of the section of methods."""

DEFINITIONS = {
    "strength": "Mean skill over games and roles on the probit scale, less that of the mean agent:"
    " of two agents 1 apart, the stronger one wins 84 % of its matches on level terms.",
    "trueskill": "TrueSkill's μ and σ over the matches in the order in which they were planned.",
    "win_rate": "Share of possible credits that the agent won, or of matches won in roles without"
    " credits; over several roles their mean, equally weighted.",
    "payoff": "Mean payoff of the agent in a match.",
    "welfare": "Mean total payoff of all seats in the agent's matches.",
    "judgment": "Votes for the special player, of the votes cast in an ordinary role.",
    "reasoning": "Right answers about who the special player is and what the others believe.",
    "deception": "Matches in the special role in which the agent got away, of all in that role.",
    "self_awareness": "Right answers about the agent's own role.",
    "cooperation": "Negotiations that ended in agreement.",
    "coordination": "Negotiations that ended on the agent's own proposal, of all its negotiations.",
    "rationality": "Decisions that pay most for the agent itself in the current round.",
    "radar_area": "Area of the heptagon of the seven capabilities, ½ sin(2π/7) Σ vᵢ vᵢ₊₁, at most"
    " 2.736.",
    "cost": "What the agent paid in an agreement, in percent of the fee; less is better.",
    "cooperation_ratio": "Decisions in which the agent helped.",
    "image_score": "Cooperations less defections of a seat in a match.",
    "discounted_return": "Discounted sum of a seat's rewards.",
    "gini": "Gini coefficient of the returns of a match's players; 0 if all are equal.",
    "investment_ratio": "Share of its resources that the agent invested.",
    "return_ratio": "Share of the received amount that the agent returned.",
    "score": "Total points of a seat in the prisoner's dilemma.",
    "payback": "What a seat in public good received from the pool.",
    "contribution": "What a seat in public good contributed in a match.",
    "fault_rate": "Answers that stayed invalid after the repairs, of all answers due.",
}
"""The definition of each measure of a leaderboard."""
