// drizzle-kit, which `npm run migration` starts, reads a default export; nothing else in the project has one.
// biome-ignore lint/style/noDefaultExport: drizzle-kit looks for it
export default { dialect: 'sqlite', schema: './drizzle/tables.ts', out: './drizzle/migrations' }
