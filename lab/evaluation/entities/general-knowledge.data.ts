/**
 * Names that say nothing about a project: seen in recorded sessions of at least two. Collected once from recorded
 * sessions that are not part of this repository, and frozen: a measure that moves cannot be compared.
 */
export const generalKnowledge: Readonly<Record<string, string>> = {
  ident: `A0A0A ANTHROPIC_API_KEY APICallCount AbsPath AddCommand AgentLines AgentName AgentPercentage AgentSession AgentType
AreHooksInstalled ArrayList ArrowRight AskUserQuestion AuthProvider BTreeMap BUGBOT_BUG_ID Base64 BlobObject BoolVar
BoolVarP BufReader CGO_ENABLED CODE_OF_CONDUCT COMMIT_EDITMSG COMMIT_SHA CURSOR_SUMMARY CacheCreationTokens
CacheReadTokens CalculateTokenUsage CalculateTotalTokenUsage CalculatedAt CharSequence CheckCircle2 CheckoutBranch
CheckoutOptions CheckpointID CheckpointIDs CheckpointMetadata CheckpointPath CheckpointSummary CheckpointsCount
ChunkTranscript CloneOptions CodeRabbit CombinedOutput CommandContext CommitObject CommitOptions CommittedInfo
CommittedMetadata CompletionOptions CondensationID ContentHash ContinueOnError CreateTemp CreatedAt CutPrefix DS_Store
DashboardPage DateTime DateTimeFormat DeadlineExceeded DefaultClient DelegatingMethodAccessorImpl DeletedFiles
DetectPresence DevOps DialOption DiffCharsToLines DiffDelete DiffInsert DiffLinesToChars DiffMain
E2E_CONCURRENT_TEST_LIMIT ENTIRE_TEST_TTY EncodeToString EncodedObject EncodedObjectIter EncodedObjectStorer EqualFold
ErrFileNotFound ErrNotExist ErrObjectNotFound ErrReferenceNotFound EvalSymlinks EventStatus EventType ExactArgs
ExecuteContext ExitCode ExitError ExitPlanMode ExtractModifiedFiles ExtractModifiedFilesFromOffset FETCH_HEAD
FetchOptions FieldABC FieldInstanceResolutionError FileExists FileMode FileModificationTools FilePath FilesTouched
FindCheckpointUUID FindStringSubmatch ForEach FormData FormatResumeCommand GEMINI_API_KEY GH_TOKEN GITHUB_TOKEN
GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_DIR GIT_EDITOR GIT_TERMINAL_PROMPT GOLANGCI_LINT_CACHE GROQ_API_KEY
GetSessionDir GetSessionID GetTranscriptPosition GetTree GitCommit GitHub GitLab GitStore GlobalScope GraphQL
HandlerFunc HandlerOptions HardResetWithProtection HasPrefix HasSuffix HashMap HashSet HiddenDefaultCmd HookEventName
HookInput HookName HookNameStop HookNameUserPromptSubmit HookSupport HookType HumanAdded HumanModified HumanRemoved
ISO_DATE ISSUE_TEMPLATE InMemory IndentationError InitialAttribution InputTokens InstallHooks Int64 IsAncestor
IsBranch IsDir IsEmpty IsLocal IsLogsOnly IsNotExist IsZero JAVA_HOME JavaScript JetBrains JsonFactory JsonSerializer
L1474 L2381 L3274 LastIndex LevelInfo LimitReader LinkedIn LinkedList ListOptions LoadConfig LogLevel LookPath
MACOS_NOTARY_ISSUER_ID MACOS_NOTARY_KEY MACOS_NOTARY_KEY_ID MACOS_SIGN_P12 MACOS_SIGN_PASSWORD MISE_LOG_LEVEL
MISE_TRUSTED_CONFIG_PATHS MISE_VERBOSE MISE_YES MacOS MarshalIndent MatchString MergeBase MetadataDir MethodGet
MkdirAll MkdirTemp ModifiedFiles MustCompile MyProject NativeData NativeMethodAccessorImpl NewBranchReferenceName
NewBufferString NewClient NewDecoder NewEncodedObject NewEncoder NewFiles NewFlagSet NewHash NewHashReference
NewReader NewRemoteReferenceName NewRequest NewRequestWithContext NewRootCmd NewScanner NewServer NewStorage
NewTestEnv NextConfig NoArgs NoErrAlreadyUpToDate NoError NotEmpty NotImplementedError NotNil NumParents NumberFormat
OPENAI_API_KEY OPENROUTER_API_KEY O_APPEND O_CREATE O_RDWR O_WRONLY ObjectMapper OpenAI OpenAPI OpenCode OpenFile
OpenRouter OpenTelemetry OutOrStderr OutOrStdout OutputTokens OverflowError PROJECT_NAME PR_NUMBER ParameterizedType
ParentHashes ParseHookInput PartialEq PascalCase PathBuf PersistentPreRunE PlainInit PostToolUse PostgreSQL PowerShell
PreToolUse PrepareCommitMsg ProtectedDirs ProtocolVersion RFC3339 RawData RawMessage ReactNode ReadAll
ReadCheckpointMetadata ReadDir ReadFile ReadFrom ReadSession ReadString ReassembleTranscript RefSpec RefSpecs
ReferenceIter ReferenceName RemoteName RemoveAll RemoveReference ReplaceAll ReplaceAllString RepoDir RepoPath RepoRoot
ResolveSessionFile ResponseFuture ResponseWriter ReturnType RewindLogsOnly RewindPoint RunCLI RunE RuntimeError SA5012
SHA256 SKILL_ROUTER SendMessage SessionEnd SessionID SessionRef SessionStart SetConfig SetEncodedObject SetOption
SetOutput SetReference SetSize SetType Sha256 ShieldCheck SilenceErrors SilenceUsage SliceFromLine SplitN StartTime
StatusCode StatusInternalServerError StatusOK StdEncoding StreamExt StrictMode StringBuilder StringVar SubagentTokens
SubagentType Sum256 SymbolicReference SysProcAttr SystemTime TAP_GITHUB_TOKEN TEL_PROMPTED TS2339 TaskDescription
TempDir TemporaryItems TestEnv TestMain TextDecoder TextEncoder TimeDelta ToLower ToString ToUpper TodoWrite
TokenFilter TokenResponse TokenUsage ToolEdit ToolInput ToolName ToolResponse ToolUse ToolUseID ToolWrite
TotalCommitted TranscriptAnalyzer TranscriptPath TreeEntry TreeHash TreeObject TrimPrefix TrimRight TrimSpace
TrimSuffix TurnEnd TurnStart TypeError TypeScript UNIX_EPOCH URLSearchParams UUIDv7 Uint8Array UninstallHooks UnixNano
UsageString UserHomeDir UserPrompt UserPromptSubmit ValueError WebFetch WebSocket WithCancel WithTimeout WriteByte
WriteFile WriteHeader WriteSession WriteString WriteToFile YOUR_USERNAME YouTube ZeroHash _000_000 _CONVEX_URL
_SESSION_ID _TEL_DUR _TEL_END _TEL_EVENT _TEL_PROMPTED _TEL_START _TEL_TIER _bind_to_schema
a3601121dd01d1626a1e23e37211e3254c1c06c a3d8d aarch64 abc123 accessToken ad07948881b7041bfa701e6e5b63ded75
addEventListener addIgnoredFile agentId agentName agentSession agentSessionID agent_end agent_id agent_lines
agent_name agent_percentage agent_test alignItems allLines allowJs alpha2 amd64 and_then apache__dubbo apiKey
api_call_count api_key appendAssign apply_patch arm64 asList as_array as_bytes as_millis as_ref as_str assertEquals
assertNotNull assertTrue assert_eq assistantMessage assistantMsg attribution_test auth_test authorAssociation
author_association availableWidth avatar_url b0b94c5c0d3 base64 baseCount baseRefName baseURL base_key base_unit
beforeEach bug_report by_file cacheRead cacheWrite cache_creation_tokens cache_read_tokens calculated_at camelCase
cdef1234 chacha20 change_stack checkpointID checkpointIDs checkpoint_id checkpoint_transcript_start checkpoints_count
child_process className cleaned_content cliVersion cli_version cmdArgs code__marshmallow coderabbit_public_assets
comment_id commitErr commitHash commitIter commitObj commitSHA commitTree commit_id common_test compilerOptions
condensation_id configDir config_test contentType content_hash content_type contextFile conversation_id convexUrl
countLines cpID cpIdx cpPath createEvent createParser createRoot create_dir_all createdAt createdBy created_at
currentMessages currentPosition currentSize currentToken currentUserId currentVersion current_date d25e280405
de0fac2e4500dabe0009e67214ff5f5447ce83dd defaultBranchName defaultRef default_error_messages defineConfig
defineProperty deleted_files detachedHead devDependencies diffLines diff_hunk displayName dry_run duration_ms
duration_s duration_seconds duration_since e75332964ef5 e7e51e771db61008b38414a730f564565cf7c20 encodeURIComponent
endLine endTime end_of_edit endsWith entireDir environment_context errorText esModuleInterop etcd3 eventId eventSlug
eventType event_id events_url exact_match exchange_rate excludePrefixes execPath exec_command existsSync exitCode
exitErr exit_code exit_cost expectedHash explain_test f4b401e2be fact_deprecated fact_purity fieldName field_name
file1 file2 fileName filePath fileURLToPath file_path file_system files_changed files_touched filter_map find_file
find_map firstLine firstPrompt flexShrink float32 float64 followers_url following_url forEach fr_0 from_str fsSL func1
getActualTypeArguments getAttribute getByRole getByTestId getByText getClass getEventBySlug getGenericInterfaces
getGenericSuperclass getMessage getName getRawType getSessionFile getTime getUser getValue gist_id gists_url gitBranch
gitPath git_operations github_walkthrough globalStorage gravatar_id groupId hasMetadata hasSession hash1 hash2 hash3
hashBlob hashStr headCommit headHash headRef headRefName hessian2 homeDir hookCommandExists hookName hook_event_name
hook_type hooksDir hooksInstalled hooksPath hooks_cmd hooks_installed hooks_test html_url httpClient http_code
human_added human_modified human_removed imageSizes imageUrl image_url in_progress in_reply_to_id includeIf
includesCreatedEdit indexOf initTheme initial_attribution input_tokens int32 int64 integration_test invoke0 isAncestor
isArray isAssignableFrom isBinary isEmpty isEnvSet isError isFinite isGeminiFormat isImage isLoading isNaN isOutdated
isResolved isSidechain is_empty is_err is_error is_logs_only is_none is_ok is_some is_text isolatedModules key_field
lastIdx latestTime latestVersion lib64 lineArray lineCount linters_context localCommit localDev localRef localRepo
lockPath log4j logDir logFile log_error log_level logsDir macOS mainBranch mainRef main_test make_error
manual_commit_condensation manual_commit_git manual_commit_hooks manual_commit_rewind manual_commit_types map_err
mapping_type maxOutputBytes maxSize messageId message_count message_id metadata_dir mid_turn_commit_test mimeType
miniconda3 mkErr mockAgent mockRejectedValue mockResolvedValue mockReturnValue modelId modifiedContent modified_files
moduleResolution mustMarshal nChanges nClean nCurrent nEntire nError nFor nLOCATIONS nOnly nOriginal nOutput nSecond
nThe nThese nThis netty4 newCommit newContent newHead newLines newState newVersionCmd new_files new_string nextConfig
noEmit node0 node1 node_id node_modules notFound numLines o100644 objectContaining oldCommit oldContent oldLines
oldRef old_string onChange onClick onRetry onSubmit operationId organizations_url originalContent original_commit_id
original_line original_position original_start_line other_user output_tokens packageManager parentCommit parentHash
parentTree parentUuid parseArgs parseErr parseTranscript paths_test permission_profile pollInterval post_tool_use
pre_tool_use preventDefault promptContent promptId pullRequest pull_request pull_request_review_id pull_request_url
push_str python3 rawLine reactionGroups readErr readFile readFileSync readValue read_to_string readdirSync
received_events received_events_url refName refSpec registry_test relPath remoteRef rename_all replace_all repoDir
repoPath repoRoot repo_root repos_url request_id require_escalated resolveJsonModule resolve_field_instance
response_item resume_test returnTo reviewThreads review_stack_entry_end review_stack_entry_start rewind_test
runCommand runErr runGit runner_temp schema_version script_name scroll_down searchParams search_dir search_file
selectedModel serde_json serverURL sessDir sessionDir sessionEnd sessionFile sessionID sessionId sessionIndex
sessionManager sessionPath sessionTree session_end session_id session_start session_state setConnected setError
setOpen setStatus setTimeout settingsPath setup_test sha256 shadowBranches shellQuote shortHash site_admin
skipLibCheck slash_tmp snake_case socks5 sort_by sourceCommit sourceRef sourceToolAssistantUUID source_url spawnSync
speed_up_explain spf13 sshCommand starred_url startIndex startLine startOffset startTime start_line start_side
startedAt started_at startsWith statErr statSync stateDir state_test statusCheckRollup statusCode statusText
status_code stopAt stopReason strip_prefix stubGlobal subagent_tokens subagent_type subagentsDir subject_type
submittedAt subscriptions_url superClass tName tRunner tStatus tag_name targetHash td_field telemetryTier tempDir
temp_dir testId test_agent test_utils textBlocks textContent thisFile thread_id timeoutMs tmpDir tmpFile toBe toBeNull
toFixed toHaveBeenCalled toHaveBeenCalledTimes toHaveBeenCalledWith toISOString toLocaleString toLowerCase toString
toUpperCase to_str to_string to_string_pretty to_vec token_usage toolCall toolCallId toolCalls toolName toolResult
toolResults toolUse toolUseResult tool_input tool_name tool_response tool_result tool_use tool_use_error tool_use_id
tool_uses toolu_123 toolu_abc123 toolu_task1 toolu_task2 totalCount totalEvents totalLines totalMessages totalTokens
total_committed total_count total_seconds total_tokens transcriptBytes transcriptData transcriptDir transcriptLine
transcriptOffset transcriptPath transcript_path transcript_test treeHash treeObj turn_aborted turn_id types_test u003c
u003e u2014 uint32 uint64 unwrap_or unwrap_or_default unwrap_or_else update_plan updatedAt updated_at useCallback
useEffect useMemo useRef useRouter useSearchParams useState user1 userContent userId userMessage userMsg userType
user_id user_prompt_submit user_view_type utf16 utm_campaign utm_medium utm_source value_field waitFor waitForURL
waitUntil walkErr walkthrough_start wantErr wantLen wantRef workflow_dispatch workspace_roots worktree_test writeFile
writeSettings writeText`,
  path: `--output.json .agents .allowed-licenses .claude/projects .claude/settings.json .codex .codex/config.toml
.codex/hooks.json .codex/sessions .entire/settings.json .entire/settings.local.json .git .git/index.lock
.git/worktrees .github/copilot-instructions.md .github/dependabot.yml .gitignore .golangci.yaml .local/bin
.superstack/.telemetry-prompted .superstack/build-context.md .superstack/config.json .superstack/idea-context.md
.superstack/telemetry.jsonl .vscode/settings.json 0/full.jsonl 0/metadata.json @solana/web3.js AGENTS.md Anchor.toml
CHANGELOG.md CLAUDE.md CODE_OF_CONDUCT.md CONTRIBUTING.md Cargo.toml DelegatingMethodAccessorImpl.java
ISSUE_TEMPLATE/bug_report.yml JsonFactory.java Library/Application Method.java Microsoft/go-winio
NativeMethodAccessorImpl.java Next.js Node.js ObjectMapper.java README.md RELEASING.md React/Next.js SECURITY.md
SKILL.md SKILL_ROUTER.md _test.go a/README.md a/mise.toml agent.go agent/agent.go agent/registry.go
agent/registry_test.go agent_test.go anmitsu/go-shlex api/events api/mutation app/globals.css
apply-grant/export-session.sh armon/go-socks5 attribution_test.go auth.go auth_test.go azure-pipelines.yml b/README.md
b/mise.toml bar.go bench/_default bench/compare bench/cpu bench/mem bin/bash bin/entire bin/env bin/git bin/sh bin/zsh
brand.md buggy-input.png build-context.md checkpoint.go checkpoint/checkpoint.go checkpoints/v1 ci.yml
claude-session.jsonl claude.go cli.ts cli/.goreleaser.yaml cli/agent cli/agent.Agent cli/config.go cli/config_test.go
cli/explain.go cli/explain_test.go cli/hooks_cmd.go cli/integration_test cli/mise.toml cli/paths cli/redact
cli/root.go cli/strategy cli/strategy.Strategy cli/textutil cli/transcript cli/transcript_test.go cmd/dlv@latest
cmd/entire codex-session.jsonl common.go components config.go config.json config.ts d/metadata.json data/specs
davecgh/go-spew dev/null dev/publish devenv/cli dipree/entire-wingman docker-compose.yml docs docs/red.md dup/_default
dup/staged e2e/_default emilkowalski/skill entire entire/cli entire/main.go error/abort errors.go eslint.config.mjs
etc/passwd fields.py file.ts file.txt file1.go file2.go foo.go format/config full.jsonl gemini.go git_operations.go
gliderlabs/ssh go-billy/v6.Filesystem go-diff/diffmatchpatch go-git-fixtures/v4 go-git/go-git go-git/v5 go.mod
go.mod/go.sum go.sum go.work.sum go/bin google/go-cmp grep.ts heads/main hello.txt hooks.go hooks_test.go
http/httptest idea-context.md inconshreveable/mousetrap index.ts integration_test/agent_test.go
integration_test/hooks.go integration_test/transcript.go integration_test/transcript_test.go kr/text layout.tsx
license-check.yml lint.yml lint/_default lint/go lint/gofmt lint/gomod lint/licenses lint/mise lint/shellcheck
loading.tsx local/bin logs/entire.log main.go main.py main/java main_test.go
marshmallow-code__marshmallow/reproduce.py marshmallow-code__marshmallow/src marshmallow/fields.py metadata.go
metadata.json mise-tasks mise-tasks/build mise-tasks/completions mise.toml models.json next-env.d.ts next.config.mjs
nonexistent.json notes/commits p95/p99 package-lock.json package.json page.tsx path/transcript.jsonl paths/paths.go
plumbing/filemode plumbing/object plumbing/storer.EncodedObjectIter plumbing/storer.ReferenceIter pmezard/go-difflib
private/var process.env prompt.txt pyproject.toml red.md references/animation.md references/craft-and-polish.md
references/forms.md references/interactions.md references/layout-and-design.md references/solana-ui-patterns.md
references/stack-defaults.md references/states.md repo.go reproduce.py request.json res.json response.json resume.go
resume_test.go rewind_test.go root.go runtime/panic.go s.json sergi/go-diff serialize/java session.go session/state.go
session/state_test.go settings.json settings.local.json setup.cfg setup.py setup.ts setup_test.go shell.ts spf13/cobra
spf13/pflag src/cli.ts src/index.ts src/lib.rs src/main.go src/main.rs src/types.ts storage/memory
strategy/manual_commit_condensation.go strategy/manual_commit_git.go strategy/manual_commit_hooks.go
strategy/manual_commit_rewind.go strategy/manual_commit_types.go strategy/mid_turn_commit_test.go stretchr/testify
stretchr/testify@v1.11.1 supabase/schema.sql tags/v1.0.0 tags/v2.4.4 tags/v6.0.2 tags/v6.4.0 tags/v9.2.0 test.go
test.json test/java test/repo testenv.go testify/assert testify/require testing/testing.go theme.ts theme/theme.ts
tmp/repo tmp/transcript.jsonl to/repo tox.ini transcript.go transcript.jsonl transcript_test.go tsconfig.json types.go
update.ts usr/bin usr/games usr/sbin util.go utils/config.ts v5/config v5/plumbing v6/plumbing.EncodedObject
v6/storage.Storer var/folders workflows/ci.yml workflows/e2e-isolated.yml workflows/e2e.yml
workflows/license-check.yml workflows/lint.yml workflows/release.yml x/sys x/term x/text yarn.lock`,
  str: `#000000 #10 #11 #12 #13 #15 #37 #63 #69 #71 #74 #75 #86 --abbrev-ref --add --agent --all --allow-empty --amend --bare
--binary-files --body --branch --cached --check --checkpoint --clean --color --comments --commit --concurrency
--config --context --continue --decorate --directories --dry-run --enable --enable-only --files --filter --fix
--font-mono --font-sans --force --force-with-lease --format --from --full --generate --get-all --get-regexp --git
--git-dir --glob --global --hard --head --help --include --input --job --json --label --limit --line-buffered --list
--local --log --log-failed --logs-only --max-issues-per-linter --max-same-issues --mode --model --name-only
--name-status --new --new-from-merge-base --new-from-rev --no-config --no-edit --null --oneline --out-format --output
--porcelain --pretty --print --progress --project --prune --quiet --recursive --ref --repo --resume --session --short
--show-current --show-origin --since --skip-push-sessions --squash --staged --stat --state --tags --telemetry --test
--timeout --title --type --unified --unset --unset-all --verbose --verify --version --write --yes 0.0.0.0 0.1.0 0.10.0
0.10.2 0.12.0 0.13.0 0.2.0 0.21.0 0.5.0 0.6.0 0.6.1 0.7.0 0.7.2 0.7.5 0.8.0 0.9.0 0000 0001 0002 0004 0008 0009 0010
0023 0100 0644 0700 0755 1.0.0 1.1.0 1.1.2 1.2.2 1.2.3 1.2.4 1.26.2 1.9.1 1000 10000 100000 1001 1002 1003 1004 1005
1006 100644 1007 100755 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026
1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049
1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072
1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095
1096 1097 1098 1099 1100 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 1111 1112 1113 1114 1115 1116 1117 1118
1119 1120 1121 1122 1123 1124 1125 1126 1127 1128 1129 1130 11306 1131 1132 1133 1134 1135 1136 1137 1138 1139 1140
1141 1142 1143 1144 1145 1146 1147 1148 1149 1150 1151 1152 1153 1154 1155 1156 1157 1158 1159 1160 1161 1162 1163
1164 1165 1166 1167 1168 1169 1170 1171 1172 1173 1174 1175 1176 1177 1178 1179 1180 1181 1182 1183 1184 1185 1186
1187 1188 1189 1190 1191 1192 1193 1194 1195 1196 1197 1198 1199 1200 12000 120000 1201 1202 1203 1204 1205 1206 1207
1208 1209 1210 1211 1212 1213 1214 1215 1216 1217 1218 1219 1220 1221 1222 1223 1224 1225 1226 1227 1228 1229 1230
1231 1232 1233 1234 12345 1235 1236 1237 1238 1239 1240 1241 1242 1243 1244 1245 1246 1247 1248 1249 1250 1251 1252
1253 1254 1255 1256 1257 1258 1259 1260 1261 1262 1263 1264 1265 1266 1267 1268 1269 127.0.0.1 1270 1271 1272 1273
1274 1275 1276 1277 1278 1279 1280 1281 1282 1283 1284 1285 1286 1287 1288 1289 1290 1291 1292 1293 1294 1295 1296
1297 1298 1299 1300 1301 1302 1303 1304 1305 1306 1307 1308 1309 1310 1311 1312 1313 1314 1315 1316 1317 1318 1319
1320 1321 1322 1323 1324 1325 1326 1327 1328 1329 1330 1331 1332 1333 1334 1335 1336 1337 1338 1339 1340 1341 1342
1343 1344 1345 1346 1347 1348 1349 1350 1351 1352 1353 1354 1355 1356 1357 1358 1359 1360 1361 1362 1363 1364 1365
1366 1367 1368 1369 1370 1371 1372 1373 1374 1375 1376 1377 1378 1379 1380 1381 1382 1383 1384 1385 1386 1387 1388
1389 1390 1391 1392 1393 1394 1395 1396 1397 1398 1399 1400 1401 1402 1403 1404 1405 1406 1407 1408 1409 1410 1411
1412 1413 1414 1415 1416 1417 1418 1419 1420 1421 1422 1423 1424 1425 1426 1427 1428 1429 1430 1431 1432 1433 1434
1435 1436 1437 1438 1439 1440 1441 1442 1443 1444 1445 1446 1447 1448 1449 1450 1451 1452 1453 1454 1455 1456 1457
1458 1459 1460 1461 1462 1463 1464 1465 1466 1467 1468 1469 1470 1471 1472 1473 1474 1475 1476 1477 1478 1479 1480
1481 1482 1483 1484 1485 1486 1487 1488 1489 1490 1491 1492 1493 1494 1495 1496 1497 1498 1499 1500 1501 1502 1503
1504 1505 1506 1507 1508 1509 1510 1511 1512 1513 1514 1515 1516 1517 1518 1519 1520 1521 1522 1523 1524 1525 1526
1527 1528 1529 1530 1531 1532 1533 1534 1535 1536 1537 1538 1539 1540 1541 1542 1543 1544 1545 1546 1547 1548 1549
1550 1551 1552 1553 1554 1555 1556 1557 1558 1559 1560 1561 1562 1563 1564 1565 1566 1567 1568 1569 1570 1571 1572
1573 1574 1575 1576 1577 1578 1579 1580 1581 1582 1583 1584 1585 1586 1587 1588 1589 1590 1591 1592 1593 1594 1595
1596 1597 1598 1599 1600 1601 1602 1603 1604 1605 1606 1607 1608 1609 1610 1611 1612 1613 1614 1615 1616 1617 1618
1619 1620 1621 1622 1623 1624 1625 1626 1627 1628 1629 1630 1631 1632 1633 1634 1635 1636 1637 1638 1639 1640 1641
1642 1643 1644 1645 1646 1647 1648 1649 1650 1651 1652 1653 1654 1655 1656 1657 1658 1659 1660 1661 1662 1663 1664
1665 1666 1667 1668 1669 1670 1671 1672 1673 1674 1675 1676 1677 1678 1679 1680 1681 1682 1683 1684 1685 1686 1687
1688 1689 1690 1691 1692 1693 1694 1695 1696 1697 1698 1699 1700 1701 1702 1703 1704 1705 1706 1707 1708 1709 1710
1711 1712 1713 1714 1715 1716 1717 1718 1719 1720 1721 1722 1723 1724 1725 1726 1727 1728 1729 1730 1731 1732 1733
1734 1735 1736 1737 1738 1739 1740 1741 1742 1743 1744 1745 1746 1747 1748 1749 1750 1751 1752 1753 1754 1755 1756
1757 1758 1759 1760 1761 1762 1763 1764 1765 1766 1767 1768 1769 1770 1771 1772 1773 1774 1775 1776 1777 1778 1779
1780 1781 1782 1783 1784 1785 1786 1787 1788 1789 1790 1791 1792 1793 1794 1795 1796 1797 1798 1799 1800 1801 1802
1803 1804 1805 1806 1807 1808 1809 1810 1811 1812 1813 1814 1815 1816 1817 1818 1819 1820 1821 1822 1823 1824 1825
1826 1827 1828 1829 1830 1831 1832 1833 1834 1835 1836 1837 1838 1839 1840 1841 1842 1843 1844 1845 1846 1847 1848
1849 1850 1851 1852 1853 1854 1855 1856 1857 1858 1859 1860 1861 1862 1863 1864 1865 1866 1867 1868 1869 1870 1871
1872 1873 1874 1875 1876 1877 1878 1879 1880 1881 1882 1883 1884 1885 1886 1887 1888 1889 1890 1891 1892 1893 1894
1895 1896 1897 1898 1899 1900 1901 1902 1903 1904 1905 1906 1907 1908 1909 1910 1911 1912 1913 1914 1915 1916 1917
1918 1919 1920 1921 1922 1923 1924 1925 1926 1927 1928 1929 1930 1931 1932 1933 1934 1935 1936 1937 1938 1939 1940
1941 1942 1943 1944 1945 1946 1947 1948 1949 1950 1951 1952 1953 1954 1955 1956 1957 1958 1959 1960 1961 1962 1963
1964 1965 1966 1967 1968 1969 1970 1971 1972 1973 1974 1975 1976 1977 1978 1979 1980 1981 1982 1983 1984 1985 1986
1987 1988 1989 1990 1991 1992 1993 1994 1995 1996 1997 1998 1999 1e7e51e771db61008b38414a730f564565cf7c20 2.0.0 2.0.18
2.1.1 2.11.3 2.2.1 2.54.0 2.7.8 2.8.0 2.8.2 2000 20000 200000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011
2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 20250514 2026 20260116 20260119 20260206 2027
2028 2029 2030 2031 2032 2033 2034 2035 2036 2037 2038 2039 2040 2041 2042 2043 2044 2045 2046 2047 2048 2049 2050
2051 2052 2053 2054 2055 2056 2057 2058 2059 2060 2061 2062 2063 2064 2065 2066 2067 2068 2069 2070 2071 2072 2073
2074 2075 2076 2077 2078 2079 2080 2081 2082 2083 2084 2085 2086 2087 2088 2089 2090 2091 2092 2093 2094 2095 2096
2097 2098 2099 20d25e280405 2100 2101 2102 2103 2104 2105 2106 2107 2108 2109 2110 2111 2112 2113 2114 2115 2116 2117
2118 2119 2120 2121 2122 2123 2124 2125 2126 2127 2128 2129 2130 2131 2132 2133 2134 2135 2136 2137 2138 2139 2140
2141 2142 2143 2144 2145 2146 2147 2148 2149 2150 2151 2152 2153 2154 2155 2156 2157 2158 2159 2160 2161 2162 2163
2164 2165 2166 2167 2168 2169 2170 2171 2172 2173 2174 2175 2176 2177 2178 2179 2180 2181 2182 2183 2184 2185 2186
2187 2188 2189 2190 2191 2192 2193 2194 2195 2196 2197 2198 2199 2200 2201 2202 2203 2204 2205 2206 2207 2208 2209
2210 2211 2212 2213 2214 2215 2216 2217 2218 2219 2220 2221 2222 2223 2224 2225 2226 2227 2228 2229 2230 2231 2232
2233 2234 2235 2236 2237 2238 2239 2240 2241 2242 2243 2244 2245 2246 2247 2248 2249 2250 2251 2252 2253 2254 2255
2256 2257 2258 2259 2260 2261 2262 2263 2264 2265 2266 2267 2268 2269 2270 2271 2272 2273 2274 2275 2276 2277 2278
2279 2280 2281 2282 2283 2284 2285 2286 2287 2288 2289 2290 2291 2292 2293 2294 2295 2296 2297 2298 2299 2300 2301
2302 2303 2304 2305 2306 2307 2308 2309 2310 2311 2312 2313 2314 2315 2316 2317 2318 2319 2320 2321 2322 2323 2324
2325 2326 2327 2328 2329 2330 2331 2332 2333 2334 2335 2336 2337 2338 2339 2340 2341 2342 2343 2344 2345 2346 2347
2348 2349 2350 2351 2352 2353 2354 2355 2356 2357 2358 2359 2360 2361 2362 2363 2364 2365 2366 2367 2368 2369 2370
2371 2372 2373 2374 2375 2376 2377 2378 2379 2380 2381 2382 2383 2384 2385 2386 2387 2388 2389 2390 2391 2392 2393
2394 2395 2396 2397 2398 2399 2400 24000 2401 2402 2403 2404 2405 2406 2407 2408 2409 2410 2411 2412 2413 2414 2415
2416 2417 2418 2419 2420 2421 2422 2423 2424 2425 2426 2427 2428 2429 2430 2431 2432 2433 2434 2435 2436 2437 2438
2439 2440 2441 2442 2443 2444 2445 2446 2447 2448 2449 2450 2451 2452 2453 2454 2455 2456 2457 2458 2459 2460 2461
2462 2463 2464 2465 2471 2488 2500 25000 2510 2526 2536 2539 2592 2597 2611 2614 2630 2632 2644 2649 2668 2704 2720
2768 2771 2778 2785 2792 2797 2810 2814 2833 2845 2867 2877 2893 2904 2925 2936 2940 2941 2942 2943 2944 2945 2946
2947 2948 2949 2950 2951 2988 2999 3.4.0 3000 30000 300000 3001 3005 3022 3026 3040 3041 3042 3043 3044 3045 3046 3047
3048 3049 3050 3051 3052 3053 3054 3055 3056 3057 3058 3059 3060 3061 3062 3063 3064 3065 3066 3067 3068 3069 3070
3071 3072 3073 3074 3075 3076 3077 3078 3079 3080 3081 3082 3085 3086 3088 3096 3097 3102 3103 3111 3114 3120 3121
3122 3123 3124 3125 3126 3127 3128 3129 3130 3132 3136 3139 3143 3154 3157 3159 3165 3181 3189 3195 3216 3218 3223
3247 3275 3283 3301 3302 3303 3306 3309 3339 3384 3473 3570 3600 3725 3726 38f4b401e2be 4.0.1 4.2.0 4000 4096 4132
4150 4300014ad07948881b7041bfa701e6e5b63ded75 4314 4349 4372 4519 4591 4708 4960
4a3601121dd01d1626a1e23e37211e3254c1c06c 5000 50000 5176 5812 5b0b94c5c0d3 6008b81b 60210 6844 7193 8000 8050 8080
8192 8601 9000 9196 ADR-001 BSD-2 BSD-3 CC0-1 MPL-2 SHA-256 UTF-8 cdef1234 de0fac2e4500dabe0009e67214ff5f5447ce83dd
e75332964ef5 http://www.apache.org/licenses/LICENSE-2.0 https:// https://claude.com/claude-code
https://colosseum.com/copilot https://cursor.com/assets/images/fix-in-cursor-dark.png
https://cursor.com/assets/images/fix-in-cursor-light.png https://cursor.com/assets/images/fix-in-web-dark.png
https://cursor.com/assets/images/fix-in-web-light.png https://cursor.com/bugbot https://emilkowal.ski
https://example.com https://github.com https://github.com/.extraheader https://github.com/emilkowalski/skill
https://github.com/entireio/cli https://github.com/entireio/cli.git https://github.com/go-git/go-git
https://github.com/marshmallow-code/marshmallow/blob/dev/src/marshmallow/fields.py#L1474
https://mise.jdx.dev/cli/trust.html https://semver.org/
https://storage.googleapis.com/coderabbit_public_assets/review-stack-in-coderabbit-ui.svg
https://superteam.fun/earn/grants/agentic-engineering https://superteam.fun/earn/grants/agentic-engineering**
https://www.cursor.com/dashboard/bugbot v0.0.0-20160902184237 v0.0.0-20161208181325 v0.0.0-20200514113438 v0.1.0
v0.1.2 v0.11.0 v0.2.0 v0.2.6 v0.28.0 v0.3.1 v0.3.3 v0.3.4 v0.3.8 v0.3.9 v0.4.15 v0.4.2 v0.4.3 v0.42.0 v0.5.0 v0.5.1
v0.5.15 v0.5.3 v0.6.2 v0.7.0 v0.8.0 v0.9.1 v1.0.0 v1.0.1 v1.0.2 v1.0.3 v1.0.4 v1.0.5 v1.0.7 v1.0.8 v1.1.0 v1.1.1
v1.1.2 v1.1.4 v1.1.5 v1.11.1 v1.2.0 v1.2.1 v1.2.2 v1.2.3 v1.3.0 v1.3.2-0.20230802210424 v1.4.2 v1.5.0 v1.5.1 v1.7.2
v1.9.0 v2.0.0 v2.0.0-rc1 v2.0.1 v2.0.5 v2.1.3 v2.11.0 v2.11.3 v2.12.0 v2.13.0 v2.17.0 v2.2.0 v2.3.2 v2.4.1 v2.4.4
v2.6.1 v2.7.0 v2.8.0 v2.8.3 v2.9.0 v3.0.0 v3.0.1 v3.27.0 v6.0.2 v6.4.0 v9.2.0`,
}
