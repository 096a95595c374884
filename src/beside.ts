export type { OpenRoom } from './http/resource/room.ts'
// what stands beside the API; to remove it, delete this line and its folders (docs/architecture.md)
export { wordpress } from './http/routes/wordpress/routes.ts'
