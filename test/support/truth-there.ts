import { connect } from '../../src/features/nodes/session.ts'

/** Runs statements in PostgreSQL on a connection of their own, after what others have under way; returns the rows of the last. */
export const asking =
  (url: string) =>
  async <T>(statements: string): Promise<T[]> => {
    const session = await connect(url)
    try {
      return await session.ask<T>(statements)
    } finally {
      session.cut()
    }
  }
