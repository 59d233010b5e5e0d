"use strict";
// Shows what the peer renders as it changes. Without this script the page renews itself.
(() => {
	const live = document.getElementById("live");
	const age = document.getElementById("age");
	if (!live || !window.EventSource) return;
	const asIs = { createHTML: (html) => html }; // the peer has escaped it
	const policy = window.trustedTypes ? trustedTypes.createPolicy("peerd", asIs) : asIs;
	const renew = (event) => {
		const open = [...live.querySelectorAll("details[open]")].map((d) => d.id);
		const summary = document.activeElement && document.activeElement.closest("details");
		const sentence = live.querySelector(".state");
		const said = sentence && sentence.textContent;
		live.innerHTML = policy.createHTML(event.data);
		const renewed = live.querySelector(".state");
		if (renewed && sentence && renewed.textContent === said) renewed.replaceWith(sentence); // is read out when it changes only
		for (const id of open) {
			const d = document.getElementById(id);
			if (d) d.open = true;
		}
		const again = summary && document.getElementById(summary.id);
		if (again) again.querySelector("summary").focus();
	};
	const connect = () => {
		const source = new EventSource("events?view=" + encodeURIComponent(live.dataset.view));
		source.addEventListener("live", (event) => {
			renew(event);
			if (live.querySelector(".over")) source.close(); // nothing follows a result
		});
		source.addEventListener("open", () => { age.textContent = ""; });
		source.addEventListener("error", () => {
			age.textContent = age.dataset.lost;
			if (source.readyState === EventSource.CLOSED) setTimeout(connect, 5000); // refused: there is no room, or the login has ended and another may follow
		});
	};
	connect();
})();
