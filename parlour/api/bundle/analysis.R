# Begin here: payoffs and won matches of each agent, by game, from the tables of this folder.
# Seeds have 63 bits: read them as text, since a double would round them.
matches <- read.csv("tables/matches.csv", colClasses = c(setting = "character", seed = "character"))
seats <- read.csv("tables/seats.csv", na.strings = "")
played <- merge(seats, matches[, c("match", "game", "condition", "ending")], by = "match")
played <- played[tolower(played$counted) == "true" & !is.na(played$ending) & played$ending != "", ]
played$won <- as.numeric(tolower(played$won) == "true")
print(aggregate(cbind(payoff, won) ~ game + condition + agent, data = played, FUN = mean, na.action = na.pass))
