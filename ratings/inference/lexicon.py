"""Words and phrases that hedge, praise or blame: a small English lexicon of our own.

It is meant for clues of one or two sentences, where a covariate of tone is wanted, and no more.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEDGES = _words("""
    about almost apparently appear appears approximately arguably basically could fairly feel
    feels generally guess kinda likely mainly maybe might mostly nearly often partly perhaps
    possible possibly potentially presumably probably quite rather relatively roughly seem seems
    seemingly somehow sometimes somewhat sort sorta suggest suggests suppose supposedly tend tends
    typically unclear unsure usually vaguely
""")
"""Single words that weaken a statement."""
HEDGING_PHRASES = (
    *("a bit", "a kind of", "a little", "as far as i", "i believe", "i think", "in a sense"),
    *("in a way", "in general", "in some ways", "kind of", "more or less", "not sure", "sort of"),
    *("to some extent", "you could say", "can be", "may be", "may have"),
)
"""Phrases that do; the words of a phrase are not counted again."""
POSITIVE = _words("""
    admire amazing attractive beautiful beloved benefit best better bright calm charming cheerful
    clean clever comfort comfortable comforting cozy cute delicious delight delightful easy elegant
    enjoy enjoyable enjoyed excellent exciting famous favorite favourite festive fine free fresh
    friend friendly fun gentle good graceful great happy harmony healthy helpful hope impressive
    joy joyful liked lively love loved lovely loves lucky luxurious magical nice
    peace peaceful perfect playful pleasant pleased pleasing pleasure popular powerful
    proud pure refreshing relax relaxing reliable rich romantic safe satisfying smart smile soft
    soothing special strong sweet tasty trust useful valuable warm welcome wise wonderful
""")
"""Words of a positive tone."""
NEGATIVE = _words("""
    afraid aggressive alone anger angry annoying anxious awful bad bitter boring broken burden
    complain crime cruel danger dangerous dark dead deadly death deceptive destroy destruction
    difficult dirty disaster disease disgusting dislike dull enemy evil fail failure fake fear
    filthy foul ghastly grim harm harmful harsh hate hated horrible hostile hurt ill lie lonely
    lose loss lost messy miserable mistake nasty noisy pain painful poison poisonous poor
    problem risk risky rough rude sad scary severe sick sinister smelly sorrow stressful stupid
    suffering suspicious terrible threat tired toxic tragic trouble ugly uncomfortable unhappy
    unpleasant unsafe useless violent war weak wicked worried worse worst wrong
""")
"""Words of a negative tone."""
NEGATIONS = _words("cannot hardly neither never no nobody none nor not nothing without")
"""Words that turn the tone of the next words round; so does every word that ends in n't."""
