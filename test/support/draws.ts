const most = Number(process.env.TEST_DRAWS ?? Number.POSITIVE_INFINITY)

/** How many values a property draws: so many, or in `npm test` some hundred at most. */
export const draws = (count: number) => Math.min(count, most)
