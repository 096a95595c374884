/** Header with the seconds since the copy of this node was last known to have everything; absent while it has. */
export const COPY_AGE = 'almanac-copy-age'
