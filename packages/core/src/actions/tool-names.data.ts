/**
 * Tools and their fields by meaning, under the names that agents use. Names of tools are in lower
 * case. `conversation/hosts.data.ts` lists the tools that ask the user.
 */
function listOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/))
}

// They ask what became of a command or an agent in the background.
const TASK_POLLS = `
    bashoutput taskoutput bash_output read_bash write_bash read_powershell write_powershell
    read_agent`

export const tools = {
  read: listOf(`
    read read_file readfile view open_file cat notebookread view_image read_many_files read_files`),
  write: listOf(`
    edit write multiedit notebookedit apply_patch create replace write_file writefile edit_file
    str_replace insert create_file search_replace replace_in_file write_to_file delete_file
    str_replace_based_edit_tool str_replace_editor insert_edit_into_file replace_string_in_file
    multi_replace_string_in_file edit_notebook_file editor strreplace applypatch delete
    editnotebook`),
  search: listOf(`
    grep glob search ls list codesearch find list_files list_directory list_dir search_files
    grep_search file_search codebase_search websearch web_search webfetch web_fetch toolsearch
    google_web_search search_file_content semantic_search list_code_usages search_workspace_symbols
    test_search fetch_webpage search_codebase fetch_web_content github_repo web__run
    semanticsearch rg`),
  plan: listOf(`
    todowrite todo_write update_plan taskcreate taskupdate write_todos todoread
    tracker_create_task tracker_update_task manage_todo_list`),
  createTask: listOf('taskcreate tracker_create_task'),
  delegate: listOf('task agent spawn_agent invoke_agent send_input delegate subagent runsubagent'),
  poll: listOf(`write_stdin wait ${TASK_POLLS}`),
  pollTask: listOf(`task_output ${TASK_POLLS}`),
  stopTask: listOf(`
    killshell killbash kill_shell taskstop task_stop stop_bash stop_powershell`),
}

export const fieldNames = {
  session: listOf('session_id cell_id bash_id task_id shell_id shellId agent_id'),
  path: listOf('file_path path filePath filename notebook_path absolute_path target_file dir_path'),
  removed: listOf('old_string oldText old_text old_str oldString search'),
  added: listOf(
    `new_string newText new_text new_str newString replace insert_text content file_text new_source
    contents`,
  ),
  purpose: listOf('description justification pattern query prompt message explanation url'),
}
