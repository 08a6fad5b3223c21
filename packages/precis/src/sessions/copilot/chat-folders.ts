import { join } from 'node:path'

/** Names of folders below the `User` folder of VS Code. */
export const WORKSPACES_FOLDER = 'workspaceStorage'
export const CHATS_FOLDER = 'chatSessions'
export const EMPTY_WINDOW_FOLDER = join('globalStorage', 'emptyWindowChatSessions')
