// Measures figures, texts and lines of a page as the browser shows them. chromium_test.go checks the result.
(() => {
	const out = {figures: [], overlaps: [], outside: [], small: [], faint: [], external: []};
	const root = document.documentElement;
	out.scroll = root.scrollWidth - root.clientWidth;

	// Contrast as WCAG 2 defines it.
	const channels = c => {
		const m = c.match(/[\d.]+/g);
		return m ? m.map(Number) : [0, 0, 0];
	};
	const linear = v => v <= 0.04045 * 255 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
	const luminance = c => {
		const [r, g, b] = c.map(linear);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const page = channels(getComputedStyle(document.body).backgroundColor);
	const contrast = c => {
		const l = luminance(channels(c)), m = luminance(page);
		return (Math.max(l, m) + 0.05) / (Math.min(l, m) + 0.05);
	};

	const beyond = (a, box, by) => a.left < box.left - by || a.right > box.right + by ||
		a.top < box.top - by || a.bottom > box.bottom + by;
	const shared = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
		Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;

	for (const f of document.querySelectorAll('figure')) {
		const svg = f.querySelector('svg');
		const box = (svg || f).getBoundingClientRect();
		const texts = svg ? [...svg.querySelectorAll('text')] : [];
		// Lines of series are thicker than lines of the grid and the axes. Bars are paths without a stroke.
		const lines = svg ? [...svg.querySelectorAll('path')].filter(p => p.matches('.f1, .f2') ||
			getComputedStyle(p).stroke !== 'none' && parseFloat(getComputedStyle(p).strokeWidth) > 1.5) : [];
		out.figures.push({
			id: f.id, width: box.width, height: box.height, texts: texts.length,
			lines: lines.length,
		});
		const boxes = texts.map(t => t.getBoundingClientRect());
		texts.forEach((t, i) => {
			const a = boxes[i], name = f.id + ': ' + t.textContent;
			if (a.height < 9) out.small.push(name);
			if (contrast(getComputedStyle(t).fill) < 4.5) out.faint.push(name);
			if (beyond(a, box, 1)) out.outside.push(name);
			for (let j = i + 1; j < boxes.length; j++) {
				if (shared(a, boxes[j])) out.overlaps.push(name + ' and ' + texts[j].textContent);
			}
		});
		for (const l of lines) {
			const name = f.id + ': line ' + l.getAttribute('style');
			if (!l.matches('.f1, .f2') && contrast(getComputedStyle(l).stroke) < 3) out.faint.push(name);
			if (beyond(l.getBoundingClientRect(), box, 0)) out.outside.push(name);
		}
	}
	for (const e of document.querySelectorAll('[src], link, [href]')) out.external.push(e.outerHTML);
	return out;
})()
