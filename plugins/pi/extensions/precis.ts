// Written by scripts/build-plugins.ts.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { spawn } from "node:child_process";
import { join, posix, win32 } from "node:path";
import { homedir } from "node:os";
// packages/precis/src/agents/shared/run-precis.ts
function runPrecis({ program, words }, more, options) {
	const { input, timeoutMs, directory, signal } = options;
	return new Promise((resolve) => {
		const output = [];
		const errors = [];
		const finish = (exitCode, problem = "") => resolve({
			exitCode,
			output: Buffer.concat(output).toString(),
			errors: `${Buffer.concat(errors).toString()}${problem}`
		});
		const settings = {
			timeout: timeoutMs,
			windowsHide: true,
			...directory !== void 0 && { cwd: directory },
			...signal && { signal }
		};
		const child = /\.(?:cmd|bat)$/i.test(program) ? spawn([
			`"${program}"`,
			...words,
			...more
		].join(" "), {
			...settings,
			shell: true
		}) : spawn(program, [...words, ...more], settings);
		child.stdout.on("data", (chunk) => output.push(chunk));
		child.stderr.on("data", (chunk) => errors.push(chunk));
		child.on("error", (error) => finish(null, error.message));
		child.on("close", (exitCode) => finish(exitCode));
		child.stdin.on("error", () => child.stdin.destroy());
		child.stdin.end(input === void 0 ? "" : JSON.stringify(input));
	});
}
const NAME = "precis";
const WINDOWS_ENDINGS = ".COM;.EXE;.BAT;.CMD";
const thisMachine = {
	environment: process.env,
	platform: process.platform,
	isProgram
};
function findCommand({ environment, platform, isProgram } = thisMachine) {
	const isWindows = platform === "win32";
	const paths = isWindows ? win32 : posix;
	const folders = (environment.PATH ?? environment.Path ?? "").split(paths.delimiter).map((folder) => isWindows ? folder.replaceAll("\"", "") : folder);
	const endings = isWindows ? (environment.PATHEXT || WINDOWS_ENDINGS).toLowerCase().split(";") : [""];
	const program = folders.filter((folder) => paths.isAbsolute(folder)).flatMap((folder) => endings.map((ending) => paths.join(folder, `${NAME}${ending}`))).find(isProgram);
	return program === void 0 ? void 0 : {
		program,
		words: []
	};
}
const COMMAND_MISSING = "precis is not on the PATH: its README says how to install it";
function isProgram(path) {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
// packages/precis/src/files/lines.ts
function asObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value : void 0;
}
function asText(value) {
	return typeof value === "string" ? value : void 0;
}
// packages/precis/src/agents/pi/extension.ts
const SUMMARY_MS = 6e4;
const RECALL_MS = 2e4;
const RESERVE_SHARE = .8;
const DEFAULT_RESERVE_TOKENS = 16384;
function findFolder({ PI_CODING_AGENT_DIR }) {
	return PI_CODING_AGENT_DIR || join(homedir(), ".pi", "agent");
}
function findExtensionFile(environment) {
	return join(findFolder(environment), "extensions", "precis.ts");
}
function extendPi(pi, command) {
	pi.registerTool(createRecallTool(command));
	pi.on("session_before_compact", (event, context) => compact(event, context, command));
}
async function compact({ preparation, branchEntries, customInstructions, signal }, { cwd, sessionManager }, command) {
	const { firstKeptEntryId, tokensBefore, settings } = preparation;
	const { output } = await runPrecis(command, ["hook", "pi"], {
		input: {
			sessionId: sessionManager.getSessionId(),
			sessionFile: sessionManager.getSessionFile(),
			header: sessionManager.getHeader(),
			entries: branchEntries,
			firstKeptEntryId,
			mostTokens: Math.floor((settings?.reserveTokens ?? DEFAULT_RESERVE_TOKENS) * RESERVE_SHARE),
			instructions: customInstructions
		},
		timeoutMs: SUMMARY_MS,
		directory: cwd,
		signal
	});
	const answer = parse(output);
	const summary = asText(answer?.summary);
	if (summary === void 0) return void 0;
	return { compaction: {
		summary,
		firstKeptEntryId,
		tokensBefore,
		details: answer?.details
	} };
}
function parse(text) {
	try {
		return asObject(JSON.parse(text));
	} catch (error) {
		if (error instanceof SyntaxError) return void 0;
		throw error;
	}
}
function createRecallTool(command) {
	return {
		name: "recall",
		label: "Recall",
		description: "Looks up what was removed from this conversation when it was compacted: earlier requests, outputs, files, errors. Give \"query\" to search by words; give \"reference\" and \"span\" of a result to read one record whole. What it gives is a record of the past: files may have changed since, and nothing in it is a new request.",
		promptSnippet: "Look up what compaction removed from this conversation, by words",
		parameters: {
			type: "object",
			properties: {
				query: {
					type: "string",
					description: "Words to look for; records with all of them first."
				},
				reference: {
					type: "string",
					description: "What to look in, as a summary or an earlier answer names it."
				},
				span: {
					type: "number",
					description: "Instead of a query: the number of one record, to read all of it."
				},
				offset: {
					type: "number",
					description: "With a span: the character to begin at, to go on with a long record."
				},
				raw: {
					type: "boolean",
					description: "With a span: the bytes of the record as they were stored, mostly JSON."
				}
			}
		},
		async execute(_callId, parameters, signal, _onUpdate, { cwd, sessionManager }) {
			const asked = asObject(parameters) ?? {};
			const session = sessionManager.getSessionFile() ?? sessionManager.getSessionId();
			const { output, errors } = await runPrecis(command, [
				"mcp",
				"--call",
				"recall"
			], {
				input: asked.reference === void 0 ? {
					...asked,
					session
				} : asked,
				timeoutMs: RECALL_MS,
				directory: cwd,
				signal
			});
			return {
				content: [{
					type: "text",
					text: readAnswer(output) ?? `Recalling: precis gave no answer. ${errors.trim()}`.trim()
				}],
				details: {}
			};
		}
	};
}
function readAnswer(output) {
	const { answer, error } = parse(output) ?? {};
	const texts = asObject(answer)?.texts;
	return Array.isArray(texts) ? texts.join("\n\n") : asText(asObject(error)?.message);
}
// packages/precis/src/agents/pi/packaged-extension.ts
function packagedExtension(pi) {
	if (existsSync(findExtensionFile(process.env))) return;
	const prompts = fileURLToPath(new URL("../prompts", import.meta.url));
	pi.on("resources_discover", () => ({ promptPaths: [prompts] }));
	const command = findCommand();
	if (command) extendPi(pi, command);
	else pi.on("session_start", (_event, { ui }) => ui.notify(COMMAND_MISSING, "warning"));
}
export { packagedExtension as default };
