// drizzle-kit, which `npm run migration` starts, reads a default export; nothing else in the project has one. DIALECT=postgresql is
// for the tables in PostgreSQL.
const POSTGRES = {
  dialect: 'postgresql',
  schema: './drizzle/postgres.ts',
  out: './drizzle/postgres',
  schemaFilter: ['almanac'],
}
const SQLITE = { dialect: 'sqlite', schema: './drizzle/tables.ts', out: './drizzle/migrations' }

// biome-ignore lint/style/noDefaultExport: drizzle-kit looks for it
export default process.env.DIALECT === 'postgresql' ? POSTGRES : SQLITE
