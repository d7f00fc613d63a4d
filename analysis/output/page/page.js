// SPDX-License-Identifier: MIT
// Draws the report from the data in the page. Text from the recording only ever becomes text nodes.
"use strict";
(function () {
const data = JSON.parse(document.getElementById("data").textContent);
const begin = data.recording.begin_ns, span_s = (data.recording.end_ns - begin) / 1e9;
const part = data.window || data.recording;
// What all charts show at first, in seconds since the begin.
const limits = [(part.begin_ns - begin) / 1e9,
	Math.max((part.end_ns - begin) / 1e9, (part.begin_ns - begin) / 1e9 + 1e-6)];
const colors = ["#2f6f9f", "#d9822b", "#3a8f5c", "#a23b72", "#7a68b3", "#b0453f", "#4aa3a2",
	"#8a7d3b", "#5d7fce", "#c46aa0", "#6b8e23", "#a0703c", "#8b95a1"];
const charts = [];
const ROWS_SHOWN = 50; // of a table, until more are asked for

function make(tag, text, cls) {
	const node = document.createElement(tag);
	if (text !== undefined && text !== null)
		node.textContent = text;
	if (cls)
		node.className = cls;
	return node;
}

function byId(id) {
	return document.getElementById(id);
}

function bytes(n) {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
	let at = 0, value = n;
	while (Math.abs(value) >= 1024 && at < units.length - 1) {
		value /= 1024;
		at++;
	}
	return at ? value.toFixed(1) + " " + units[at] : n + " bytes";
}

function exact(n) {
	return n < 1024 ? n + " bytes" : n + " bytes (" + bytes(n) + ")";
}

function seconds(s) {
	if (Math.abs(s) >= 1 || s === 0)
		return s.toFixed(3) + " s";
	return Math.abs(s) >= 1e-3 ? (s * 1e3).toFixed(3) + " ms" : (s * 1e6).toFixed(1) + " us";
}

function times(n) {
	return n + (n === 1 ? " time" : " times");
}

// Dygraph's round steps, named in one unit and with the decimals that tell two steps apart.
function timeTicks(from, to, pixels, opts, chart, values) {
	const ticks = Dygraph.numericTicks(from, to, pixels, opts, chart, values);
	const places = ticks.filter(t => t.label !== undefined || t.label_v !== undefined);
	const far = Math.max(Math.abs(from), Math.abs(to));
	const step = places.length > 1 ? Math.abs(places[1].v - places[0].v) : far;
	const unit = far >= 1 ? [1, "s"] : far >= 1e-3 ? [1e3, "ms"] : [1e6, "us"];
	const decimals = Math.min(Math.max(Math.ceil(-Math.log10(step * unit[0]) - 1e-6), 0), 9);
	for (const tick of places)
		tick.label = (tick.v * unit[0]).toFixed(decimals) + " " + unit[1];
	return ticks;
}

function moment(ns) {
	return "+" + seconds((ns - begin) / 1e9);
}

function empty(where, why) {
	const at = byId(where);
	at.replaceChildren(make("p", why, "empty"));
	at.classList.add("none");
}

function place(frame) {
	if (!frame)
		return "(no stack was recorded)";
	if (frame.function)
		return frame.function;
	return (frame.module ? frame.module.split("/").pop() : "?") + "+0x" +
		(frame.offset || 0).toString(16);
}

// Innermost first: the ioctl and the thunk's function that the entry is about, then the stack.
function stackList(entry) {
	const list = make("ol", null, "stack"), calls = [];
	if (entry.ioctl)
		calls.push({ layer: "kernel", function: entry.ioctl });
	if (entry.call && entry.call !== entry.ioctl) // else the program made the ioctl itself
		calls.push({ layer: "thunk", function: entry.call });
	for (const frame of calls.concat(entry.stack || [])) {
		const item = make("li");
		item.append(make("span", frame.layer, "layer"), " ", make("span", place(frame)));
		let where = "";
		if (frame.file)
			where = " " + frame.file.split("/").pop() + (frame.line ? ":" + frame.line : "");
		else if (frame.function && frame.module)
			where = " " + frame.module.split("/").pop();
		if (frame.unnamed)
			where += " [" + frame.unnamed + "]";
		item.append(make("span", where, "place"));
		list.append(item);
	}
	return list.children.length ? list : make("p", "No stack was recorded.", "empty");
}

// The frame that says most: the application's own, else the innermost.
function caller(entry) {
	const frame = entry.caller || entry.allocated_in || (entry.stack || [])[0];
	const at = frame && frame.file ?
		" at " + frame.file.split("/").pop() + (frame.line ? ":" + frame.line : "") : "";
	return place(frame) + at;
}

function withStack(title, entry) {
	const details = make("details");
	details.append(make("summary", title), stackList(entry));
	return details;
}

// Columns: {title, text(row) or node(row), number: sort key(row)}; numbers are right-aligned.
function table(where, columns, rows, why) {
	if (rows.length === 0) {
		empty(where, why);
		return;
	}
	const at = make("table"), head = make("tr"), body = make("tbody");
	const more = make("button");
	let shown = rows.length > ROWS_SHOWN + 10 ? ROWS_SHOWN : rows.length, sorted = rows;
	const fill = function (list) {
		sorted = list;
		body.replaceChildren();
		for (const row of list.slice(0, shown)) {
			const line = make("tr");
			for (const column of columns) {
				const cell = make("td", column.text ? column.text(row) : null,
					column.number ? "number" : "");
				if (column.node)
					cell.append(column.node(row));
				line.append(cell);
			}
			body.append(line);
		}
	};
	for (const column of columns) {
		const cell = make("th", column.number ? null : column.title, column.number ? "number" : "");
		if (column.number) {
			const button = make("button", column.title, "sort");
			button.type = "button"; // for the keyboard; the mouse may hit all of the cell
			cell.addEventListener("click", function () {
				const sign = cell.ariaSort === "descending" ? 1 : -1;
				for (const other of head.children)
					other.removeAttribute("aria-sort");
				cell.ariaSort = sign < 0 ? "descending" : "ascending";
				fill(rows.slice().sort((a, b) => sign * (column.number(a) - column.number(b))));
			});
			cell.append(button);
		}
		head.append(cell);
	}
	fill(rows);
	const top = make("thead");
	top.append(head);
	at.append(top, body);
	const box = make("div", null, "wide"); // Scrolls by itself where the window is narrow.
	box.append(at);
	byId(where).replaceChildren(box);
	if (shown < rows.length) {
		more.type = "button";
		more.className = "more";
		more.textContent = "Show all " + rows.length;
		more.addEventListener("click", function () {
			shown = rows.length;
			fill(sorted);
			more.remove();
		});
		byId(where).append(more);
	}
}

// --- Charts: all share one time window. ---

let windowing = false;

function follow(chart) {
	if (windowing)
		return;
	windowing = true;
	const range = chart.xAxisRange();
	for (const other of charts) {
		const now = other.xAxisRange();
		if (other !== chart && (now[0] !== range[0] || now[1] !== range[1]))
			other.updateOptions({ dateWindow: range.slice() });
	}
	windowing = false;
}

function showWindow(from, to) {
	windowing = true;
	for (const chart of charts)
		chart.updateOptions({ dateWindow: [from, to] });
	windowing = false;
}

function showAll() {
	showWindow(limits[0], limits[1]);
}

// What the mouse does, for the keyboard: + and - zoom, the arrows move, 0 shows all.
function steer(event) {
	const range = charts[0].xAxisRange(), width = range[1] - range[0];
	const moves = { "+": [0.25, -0.25], "=": [0.25, -0.25], "-": [-0.5, 0.5],
		ArrowLeft: [-0.25, -0.25], ArrowRight: [0.25, 0.25] };
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key === "0")
		showAll();
	else if (moves[event.key])
		showWindow(range[0] + moves[event.key][0] * width, range[1] + moves[event.key][1] * width);
	else
		return;
	event.preventDefault();
}

function chart(where, rows, options) {
	const at = byId(where);
	at.replaceChildren();
	at.classList.remove("none");
	at.tabIndex = 0;
	at.onkeydown = steer;
	const made = new Dygraph(at, rows, Object.assign({
		dateWindow: limits.slice(),
		labelsSeparateLines: true,
		legend: "follow",
		axes: {
			x: { axisLabelFormatter: s => seconds(s), valueFormatter: s => "+" + seconds(s),
				ticker: timeTicks, pixelsPerLabel: 90, axisLabelWidth: 100 },
			y: { axisLabelFormatter: n => bytes(n), valueFormatter: n => exact(n),
				axisLabelWidth: 80, labelsKMG2: true },
		},
		xAxisHeight: 28,
		xRangePad: 0,
		drawCallback: follow,
	}, options));
	at.dataset.points = rows.length;
	charts.push(made);
	return made;
}

function drop(where) {
	for (let i = charts.length; i-- > 0;) {
		if (charts[i].graphDiv.parentNode === byId(where)) {
			charts[i].destroy();
			charts.splice(i, 1);
		}
	}
}

// Several step functions on one grid of times; each row has a value for every one of them.
function grid(lists) {
	const times = Array.from(new Set([].concat(...lists.map(l => l.map(p => p[0])))));
	times.sort((a, b) => a - b);
	const at = lists.map(() => 0), now = lists.map(() => 0), rows = [];
	rows.push([limits[0]].concat(now));
	for (const time of times) {
		lists.forEach(function (list, i) {
			while (at[i] < list.length && list[at[i]][0] <= time)
				now[i] = list[at[i]++][1];
		});
		rows.push([time / 1e9].concat(now));
	}
	rows.push([limits[1]].concat(now));
	return rows;
}

function nodeName(node) {
	if (node.node_id === undefined)
		return "other nodes";
	return "node " + node.node_id + (node.name ? " (" + node.name + ")" : "");
}

function distinct(names) {
	const seen = {};
	return names.map(function (name) {
		seen[name] = (seen[name] || 0) + 1;
		return seen[name] > 1 ? name + " #" + seen[name] : name;
	});
}

function drawMemory(process) {
	for (const where of ["chart-nodes", "chart-sites"])
		drop(where);
	if (!process || process.total.length === 0) {
		const why = "This process took no memory through the recorded calls.";
		empty("chart-nodes", why);
		empty("chart-sites", why);
		byId("sites").replaceChildren();
		byId("node-names").replaceChildren();
		byId("reserved").textContent = "";
		return;
	}
	byId("reserved").textContent = process.reserved_peak_bytes ?
		"Not drawn, because no memory is behind it until it is used: " +
		exact(process.reserved_peak_bytes) + " of scratch and reserved addresses." : "";
	const names = distinct(process.nodes.map(nodeName));
	const lists = process.nodes.map(n => n.points);
	for (const extra of [["registered host memory", process.registered],
		["the library's own", process.internal]])
		if (extra[1].length) {
			names.push(extra[0]);
			lists.push(extra[1]);
		}
	chart("chart-nodes", grid(lists), { labels: ["time"].concat(names), stepPlot: true,
		fillGraph: true, colors: colors, includeZero: true });

	byId("node-names").replaceChildren(...names.map(function (name, i) {
		const item = make("span", null, "key"), swatch = make("span", null, "swatch");
		swatch.style.background = colors[i % colors.length];
		item.append(swatch, name);
		return item;
	}));

	const sites = process.sites, labels = distinct(sites.map(caller));
	const rows = grid(sites.map(s => s.points).concat([process.total]));
	for (const row of rows) { // What the shown places do not explain is of all the others.
		let shown = 0;
		for (let i = 1; i <= sites.length; i++)
			shown += row[i];
		row[sites.length + 1] = Math.max(row[sites.length + 1] - shown, 0);
	}
	chart("chart-sites", rows, { labels: ["time"].concat(labels, ["all other places"]),
		stepPlot: true, stackedGraph: true, colors: colors, includeZero: true });
	drawSites(sites, labels);
}

function growth(site) {
	if (site.growth !== "growing")
		return site.growth;
	return "growing, " + bytes(site.slope_bytes_per_s || 0) + " per second";
}

function drawSites(sites, labels) {
	table("sites", [
		{ title: "Place", node: function (site) {
			const at = make("div"), swatch = make("span", null, "swatch");
			swatch.style.background = colors[sites.indexOf(site) % colors.length];
			const details = withStack("", site);
			details.firstChild.append(swatch, labels[sites.indexOf(site)]);
			at.append(details);
			return at;
		} },
		{ title: "Kind", text: s => s.kind + (s.node_id === undefined ? "" : ", node " + s.node_id) },
		{ title: "Peak", text: s => exact(s.peak_bytes), number: s => s.peak_bytes },
		{ title: "At the end", text: s => exact(s.live_bytes), number: s => s.live_bytes },
		{ title: "Taken", text: s => s.taken, number: s => s.taken },
		{ title: "Over time", text: growth },
	], sites, "No place took memory.");
}

function laneName(lane, cls) {
	const of = data.memory.length > 1 ? " of " + lane.process : "";
	if (cls === "queues")
		return "queue 0x" + lane.id.toString(16) + (lane.node_id === undefined ? "" : ", node " + lane.node_id) + of;
	if (cls === "waits")
		return (lane.what || "thread") + " " + lane.id + of;
	return (lane.what || "run") + (lane.what === "SPM" ? ", node " + lane.node_id : " run " + lane.id) + of;
}

// A chart without a curve: its plotter draws the bars of each lane.
function drawLanes(cls, why) {
	const where = "lanes-" + cls, about = data.lanes[cls], lanes = about.lanes;
	if (lanes.length === 0) {
		empty(where, why);
		return;
	}
	const count = lanes.length, bar = getComputedStyle(document.body).getPropertyValue("--bar");
	const height = Math.min(60 + 24 * count, 620);
	// As many names as can be read; a lane without one is between two that have theirs.
	const every = Math.ceil(20 * count / (height - 60));
	byId(where).style.height = height + "px";
	if (lanes.some(lane => lane.bars.some(item => item[3])))
		byId(where).after(make("p", "Orange bars were still open when the recording ended.", "hint"));
	const paint = function (event) {
		const ctx = event.drawingContext, area = event.plotArea;
		lanes.forEach(function (lane, i) {
			const top = event.dygraph.toDomYCoord(count - i - 0.15);
			const height = event.dygraph.toDomYCoord(count - i - 0.85) - top;
			for (const item of lane.bars) {
				const left = event.dygraph.toDomXCoord(item[0] / 1e9);
				const right = event.dygraph.toDomXCoord(item[1] / 1e9);
				if (right < area.x || left > area.x + area.w)
					continue;
				ctx.fillStyle = item[3] ? "#d9822b" : bar.trim();
				ctx.fillRect(left, top, Math.max(right - left, 1), height);
			}
		});
	};
	const made = chart(where, [[limits[0], 0], [limits[1], 0]], {
		labels: ["time", cls], plotter: paint, legend: "never", valueRange: [0, count],
		highlightCircleSize: 0,
		axes: {
			x: { axisLabelFormatter: s => seconds(s), ticker: timeTicks,
				pixelsPerLabel: 90, axisLabelWidth: 100 },
			y: { axisLabelWidth: Math.min(250, byId(where).clientWidth * 0.4), drawGrid: false, ticker: () => lanes.map((lane, i) => (
				{ v: count - i - 0.5, label: laneName(lane, cls) }))
				.filter((tick, i) => i % every === 0) },
		},
	});
	byId(where).dataset.points = lanes.reduce((sum, lane) => sum + lane.bars.length, 0);
	if (about.not_shown)
		byId(where).after(make("p", about.not_shown + " more are not drawn.", "empty"));
	return made;
}

// --- Tables ---

function drawFindings() {
	const words = { bad: "Problem", doubt: "Doubt", note: "Note", good: "Clean" };
	for (const finding of data.summary) {
		const item = make("li", null, finding.level), link = make("a", finding.text);
		link.href = "#" + finding.section;
		item.append(make("b", words[finding.level]), link);
		byId("findings").append(item);
	}
}

function drawLeaks() {
	const columns = [
		{ title: "Bytes", text: g => exact(g.bytes), number: g => g.bytes },
		{ title: "Blocks", text: g => g.blocks, number: g => g.blocks },
		{ title: "Whose", text: g => g.layer + (g.undecided ? ", undecided" : "") },
		{ title: "Kind", text: g => g.kind + (g.node_id === undefined ? "" : ", node " + g.node_id) },
		{ title: "Where", node: g => withStack(caller(g), g) },
		{ title: "First, last", text: g => moment(g.first_ns) + ", " + moment(g.last_ns) },
	];
	const runtimes = data.leaks.groups.filter(g => g.layer === "runtime");
	table("leak-table", columns, data.leaks.groups.filter(g => g.layer !== "runtime"),
		runtimes.length ? "Everything that the application took was given back." :
			"Everything that was taken was given back.");
	byId("runtime-leaks").hidden = runtimes.length === 0;
	if (runtimes.length) {
		byId("runtime-leaks").firstElementChild.textContent = "The runtimes keep for themselves " +
			exact(data.leaks.layers.runtime.bytes) + " in " + data.leaks.layers.runtime.blocks +
			" blocks";
		table("runtime-table", columns, runtimes, "");
	}
}

function drawShares() {
	const rows = [];
	for (const share of data.leaks.exported_then_freed)
		rows.push({ what: "exported, then freed; importers seen: " + share.importers,
			bytes: share.bytes, stack: share.export_stack });
	for (const group of data.leaks.imports)
		rows.push(Object.assign({ what: "import still open" }, group));
	for (const group of data.leaks.reservations)
		rows.push(Object.assign({ what: "addresses reserved, no memory" }, group));
	for (const group of data.leaks.registrations)
		rows.push(Object.assign({ what: "host memory registered " + times(group.registered) +
			", deregistered " + times(group.deregistered) }, group));
	table("share-table", [
		{ title: "Bytes", text: r => exact(r.bytes), number: r => r.bytes },
		{ title: "What", text: r => r.what },
		{ title: "Where", node: r => withStack(caller(r), r) },
	], rows, "No exported memory was freed, no import, registration nor range of addresses was left open.");
}

function drawFailures() {
	table("failure-table", [
		{ title: "When", text: f => moment(f.time_ns) },
		{ title: "Call", node: f => withStack(f.call, f) },
		{ title: "Result", text: f => [f.status_name, f.errno_name].filter(Boolean).join(", ") },
		{ title: "Why", text: f => f.reason || "" },
		{ title: "Times", text: f => 1 + (f.more || 0), number: f => 1 + (f.more || 0) },
	], data.failures.failures, "No recorded call of the library or the driver failed.");
}

function drawWaits() {
	table("wait-table", [
		{ title: "Since", text: w => moment(w.since_ns) },
		{ title: "Waiting", text: w => seconds(w.duration_ns / 1e9), number: w => w.duration_ns },
		{ title: "Thread", text: w => w.vtid + " of " + w.process },
		{ title: "Events", text: w => w.events.map(e => e.event_id).join(", ") },
		{ title: "Last signalled", text: w => w.events.map(e =>
			e.last_set ? moment(e.last_set.time_ns) : "never").join(", ") },
		{ title: "Where", node: w => withStack(caller(w), w) },
	], data.waits.open_waits, "No wait was open when the recording ended.");
	table("spin-table", [
		{ title: "From, to", text: s => moment(s.begin_ns) + ", " + moment(s.end_ns) },
		{ title: "Calls", text: s => s.calls, number: s => s.calls },
		{ title: "Median", text: s => seconds(s.median_ns / 1e9), number: s => s.median_ns },
		{ title: "How", text: s => s.mode },
		{ title: "Thread", text: s => s.vtid + " of " + s.process },
		{ title: "Where", node: s => withStack(s.call, s) },
	], data.waits.spins, "No thread did.");
}

function drawQueues() {
	const rows = data.queues.outstanding.map(q => Object.assign({ what: "never destroyed" }, q));
	for (const refused of data.queues.refused)
		rows.push(Object.assign({ what: "refused at " + moment(refused.time_ns) }, refused));
	table("queue-table", [
		{ title: "Queue", text: q => q.queue_id === undefined ? "" : "0x" + q.queue_id.toString(16) },
		{ title: "Node", text: q => q.node_id === undefined ? "" : q.node_id },
		{ title: "What", text: q => q.what },
		{ title: "Result", text: q => [q.status_name, q.errno_name].filter(Boolean).join(", ") },
		{ title: "Where", node: q => withStack(caller(q), q) },
	], rows, "Every queue was created and destroyed.");
}

function drawProcesses() {
	const ends = { exit: "exited", signal: "ended by signal", unknown: "end not recorded" };
	table("process-table", [
		{ title: "Process", text: p => (p.name || "?") + " (pid " + p.vpid + ")" +
			(p.hostname ? " on " + p.hostname : "") },
		{ title: "End", text: p => ends[p.end] + (p.end_code === undefined ? "" : " " + p.end_code) },
		{ title: "Peak", text: p => exact(p.peak_bytes), number: p => p.peak_bytes },
		{ title: "Left", text: p => exact(p.left.bytes), number: p => p.left.bytes },
		{ title: "Undecided", text: p => exact(p.undecided.bytes), number: p => p.undecided.bytes },
		{ title: "Still inside", text: p => p.unfinished_calls.map(c => c.call + " (thread " +
			c.vtid + " since " + moment(c.since_ns) + ")").join(", ") || "nothing" },
	], data.leaks.processes, "The recording names no process.");
}

function drawLosses() {
	const rows = [];
	for (const text of data.partial_input)
		rows.push({ what: "Not readable: " + text, when: "" });
	for (const span of data.lost_spans)
		rows.push({ what: (span.count || "An unknown number of") + " events lost" +
			(span.vpid ? " of pid " + span.vpid : "") +
			(span.hostname ? " on " + span.hostname : ""),
			when: "from " + moment(span.begin_ns) +
				(span.end_ns > data.recording.end_ns ? " on" : " to " + moment(span.end_ns)) });
	for (const p of data.leaks.processes) {
		const cut = p.cut_began_before + p.cut_abandoned + p.cut_unfinished;
		if (cut)
			rows.push({ what: cut + " calls of pid " + p.vpid + " are cut: " +
				p.cut_began_before + " begun before the recording, " + p.cut_abandoned +
				" abandoned, " + p.cut_unfinished + " unfinished at its end", when: "" });
	}
	table("loss-table", [
		{ title: "What", text: r => r.what },
		{ title: "When", text: r => r.when },
	], rows, "Complete: no event was lost, everything could be read, no call is cut.");
}

byId("recording").textContent = (data.window && data.window.outside ?
	"Nothing of the recording is between --begin and --end. " : data.window ? "Only what happened from " + moment(part.begin_ns) +
	" until " + moment(part.end_ns) + " is reported. " : "") +
	data.recording.events + " events over " + seconds(span_s) + ", " +
	data.recording.kfdscope_events + " of them kfdscope's, from " + data.recording.processes +
	(data.recording.processes === 1 ? " process" : " processes") +
	(data.complete ? "." : "; not complete, see below.");
drawFindings();
drawLeaks();
drawShares();
drawFailures();
drawWaits();
drawQueues();
drawProcesses();
drawLosses();
data.memory.forEach(function (process, i) {
	const option = make("option", process.process);
	option.value = i;
	byId("process").append(option);
});
byId("process").addEventListener("change", function () {
	drawMemory(data.memory[byId("process").value]);
});
byId("zoom-out").addEventListener("click", showAll);
byId("process").parentNode.hidden = data.memory.length === 0;
drawMemory(data.memory[0]);
drawLanes("queues", "No queue was created in this recording.");
drawLanes("waits", "No thread waited for an event in this recording.");
drawLanes("counters", "No counter was used in this recording.");
window.kfdscopeCharts = charts; // for tests
document.body.dataset.ready = "1";
})();
