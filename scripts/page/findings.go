package main

// findings is a program that returns what is wrong with the open page, a line each.
const findings = `(() => {
	const wrong = [];
	if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways: " + document.documentElement.scrollWidth + " of " + innerWidth);
	const headings = [...document.querySelectorAll("h1,h2,h3")].map((h) => +h.tagName[1]);
	if (headings.filter((n) => n === 1).length !== 1) wrong.push("main headings: " + headings.filter((n) => n === 1).length);
	headings.forEach((n, i) => { if (i && n > headings[i - 1] + 1) wrong.push("a heading of level " + n + " follows " + headings[i - 1]); });
	const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
	if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
	for (const e of document.querySelectorAll("a,button,input,summary")) if (!e.textContent.trim()) wrong.push("no name: " + e.outerHTML);
	if (document.querySelector("b,script:not([src]),[style]")) wrong.push("a name became markup, or a style is inline");
	const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
	if (!matchMedia("(forced-colors: active)").matches) for (const e of document.body.querySelectorAll("*")) {
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e);
		let ground = e;
		while (ground && (parse(getComputedStyle(ground).backgroundColor)[3] === 0)) ground = ground.parentElement;
		const a = light(parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color)), b = light(parse(getComputedStyle(ground || document.body).backgroundColor));
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) wrong.push("contrast " + ratio.toFixed(1) + ": " + e.textContent.slice(0, 40));
	}
	return wrong.join("\n");
})()`
