//go:build chromium

package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/gate/history"
)

// These tests inspect the report in a browser, and fail without one.

type look struct {
	Figures  []seen   `json:"figures"`
	Overlaps []string `json:"overlaps"` // pairs of texts in a figure that cover each other
	Outside  []string `json:"outside"`  // texts, bars and lines of series that leave their figure
	Small    []string `json:"small"`    // texts of less than 9 pixels
	Faint    []string `json:"faint"`    // texts and lines whose contrast is too low
	Scroll   int      `json:"scroll"`   // pixels by which the page is wider than the window
	External []string `json:"external"` // elements with src or href, and link elements
}

type seen struct {
	ID     string  `json:"id"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Texts  int     `json:"texts"`
	Lines  int     `json:"lines"`
}

//go:embed look.js
var script string

func TestInChromium(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report.html")
	sample(t, dir)
	if err := write(dir, sampleHistory(t, dir), dir); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"gaps": true, "accuracy": true, "history-1": true, "history-2": true}
	for _, op := range sampleOps {
		want["kernel-"+op] = true
	}
	for _, set := range sampleSets {
		want["curve-"+set] = true
	}
	browser := newWindow(t)
	open, keep, shots := browser.open, browser.keep, browser.shots
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 400} {
			t.Run(fmt.Sprintf("%s-%d", scheme, width), func(t *testing.T) {
				checkLook(t, open(t, report, scheme, width), want)
				shot, err := chromedp.Run(browser.Context, chromedp.FullScreenshot(100))
				keep(t, fmt.Sprintf("%s-%d.png", scheme, width), shot, err)
			})
		}
	}
	for _, name := range []string{"kernels", "proof"} {
		page := keepText(t, dir, name+".html",
			`<!DOCTYPE html><img src="`+name+`.svg" width="900">`)
		for _, scheme := range []string{"light", "dark"} {
			t.Run(name+"-"+scheme, func(t *testing.T) {
				open(t, page, scheme, 1000)
				// The width is 0 if the browser cannot show the picture.
				wide, err := chromedp.Run(browser.Context, chromedp.Evaluate[int](
					"document.images[0].naturalWidth"))
				if err != nil || wide == 0 {
					t.Errorf("width %d, error %v", wide, err)
				}
				shot, err := chromedp.Run(browser.Context, chromedp.FullScreenshot(100))
				keep(t, name+"-"+scheme+".png", shot, err)
			})
		}
		text, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if paths := bytes.Count(text, []byte("<path")); err != nil || paths < 15 {
			t.Errorf("%s has %d paths: %v", name, paths, err)
		}
	}
	// This machine's report has measured numbers instead of samples.
	if own, err := filepath.Abs("../../build/bench/report.html"); err == nil {
		if _, err := os.Stat(own); err != nil {
			t.Log("make report has written no report on this machine")
		} else {
			for _, width := range []int64{1280, 400} {
				t.Run(fmt.Sprintf("own-%d", width), func(t *testing.T) {
					checkLook(t, open(t, own, "light", width), map[string]bool{"kernel-dot": true,
						"curve-digits": true, "gaps": true})
					shot, err := chromedp.Run(browser.Context, chromedp.FullScreenshot(100))
					keep(t, fmt.Sprintf("own-%d.png", width), shot, err)
				})
			}
		}
	}
	t.Run("print", func(t *testing.T) {
		open(t, report, "dark", 1280)
		pdf, err := chromedp.Run(browser.Context, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
		keep(t, "print.pdf", pdf, err)
		if pages := bytes.Count(pdf, []byte("/Type /Page\n")); pages < 2 || pages > 20 {
			t.Errorf("the PDF has %d pages, want 2 to 20", pages)
		}
	})
	t.Logf("pictures are in %s", shots)

	t.Run("faults are seen", func(t *testing.T) {
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		spoiled := strings.Replace(string(text), "</style>",
			"svg text { transform: translate(-30px, 6px); font-size: 19px !important; "+
				"fill: #888 !important } body { width: 2000px }</style>"+
				`<script src="https://example.com/x.js"></script>`, 1)
		name := filepath.Join(dir, "spoiled.html")
		if err := os.WriteFile(name, []byte(spoiled), 0o666); err != nil {
			t.Fatal(err)
		}
		l := open(t, name, "light", 1280)
		if len(l.Overlaps) == 0 || len(l.Outside) == 0 || len(l.Faint) == 0 || l.Scroll <= 0 ||
			len(l.External) == 0 {
			t.Errorf("faults of a spoiled page were not found: %d overlaps, %d outside, %d "+
				"faint, %d to scroll, %d external",
				len(l.Overlaps), len(l.Outside), len(l.Faint), l.Scroll, len(l.External))
		}
	})
}

type window struct {
	context.Context
	shots string
}

func newWindow(t *testing.T) *window {
	shots, err := filepath.Abs("../../build/report-check")
	if err == nil {
		err = os.MkdirAll(shots, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox,
		chromedp.DisableGPU)
	if name := os.Getenv("CHROMIUM"); name != "" {
		options = append(options, chromedp.ExecPath(name))
	}
	browser, cancel := chromedp.NewContext(t.Context(), chromedp.WithAllocatorOptions(options...))
	t.Cleanup(cancel)
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("no browser can be started: install Chromium or Google Chrome (scripts/ci.sh "+
			"only install_browser), or name one in CHROMIUM: %v", err)
	}
	return &window{browser, shots}
}

func (w *window) open(t *testing.T, file, scheme string, width int64) *look {
	t.Helper()
	media := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: scheme},
				},
			})
		return err
	})
	address := (&url.URL{Scheme: "file", Path: file}).String()
	if err := chromedp.Do(w.Context, media, chromedp.EmulateViewport(width, 900),
		chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	l, err := chromedp.Run(w.Context, chromedp.Evaluate[*look](script))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (w *window) keep(t *testing.T, name string, picture []byte, err error) {
	t.Helper()
	if err == nil {
		err = os.WriteFile(filepath.Join(w.shots, name), picture, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestModelPages(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "pegasimd")
	call := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	call("go", "build", "-o", command, "../../cmd/pegasimd")
	numbers, texts := "x,z,y\n", "review,label\n"
	for i := range 300 {
		x, z := float64(i%17), float64(i%23)
		numbers += fmt.Sprintf("%g,%g,%g\n", x, z, 2*x-z+math.Sin(float64(i*i)))
		texts += fmt.Sprintf("the %s film of %d friends,%s\n",
			[]string{"good", "dull", "long"}[i*i%7%3], i, []string{"pos", "neg"}[i*i%7%2])
	}
	browser := newWindow(t)
	for name, c := range map[string]struct{ data, flags, figures string }{
		"two": {"../../docs/people.csv", "-proba -holdout 0.3", "roc recall calibration"},
		"ten": {"../../dataset/digits/digits.csv.gz", "-loss log -epochs 3",
			"roc recall calibration"},
		"numbers": {keepText(t, dir, "numbers.csv", numbers), "", "predictions residuals errors"},
		"text":    {keepText(t, dir, "text.csv", texts), "-text review", "roc recall scores"},
	} {
		model, page := filepath.Join(dir, name+".model"), filepath.Join(dir, name+".html")
		call(command, append(strings.Fields("train -quiet "+c.flags), c.data, model)...)
		call(command, "report", model, c.data, page)
		want := map[string]bool{}
		for _, id := range strings.Fields(c.figures) {
			want[id] = true
		}
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 400} {
				t.Run(fmt.Sprintf("%s-%s-%d", name, scheme, width), func(t *testing.T) {
					checkLook(t, browser.open(t, page, scheme, width), want)
					shot, err := chromedp.Run(browser.Context, chromedp.FullScreenshot(100))
					browser.keep(t, fmt.Sprintf("model-%s-%s-%d.png", name, scheme, width), shot, err)
				})
			}
		}
	}
}

func checkLook(t *testing.T, l *look, want map[string]bool) {
	t.Helper()
	have := map[string]bool{}
	for _, f := range l.Figures {
		have[f.ID] = true
		drawn := f.Lines >= 1 && f.Texts >= 5 && f.Width >= 300 && f.Height >= 150
		if !drawn {
			t.Errorf("a figure is small or has too few texts or lines: %+v", f)
		}
	}
	for id := range want {
		if !have[id] {
			t.Errorf("figure %s is missing", id)
		}
	}
	for what, list := range map[string][]string{
		"overlap": l.Overlaps, "leave their figure": l.Outside, "are too small": l.Small,
		"are too faint": l.Faint, "load or link to files": l.External,
	} {
		if len(list) > 0 {
			t.Errorf("%d %s: %s", len(list), what, strings.Join(list[:min(len(list), 8)], "; "))
		}
	}
	if l.Scroll > 0 {
		t.Errorf("the page is %d pixels wider than the window", l.Scroll)
	}
}

var (
	sampleOps  = []string{"dot", "axpy", "dotsparse", "squareddistance", "exp"}
	sampleSets = []string{"digits", "fashion-mnist", "a9a"}
)

func sample(t *testing.T, dir string) {
	var text strings.Builder
	text.WriteString("cpu: Made-up CPU @ 3.00GHz, family 25, model 17\n" +
		"caches: L1 32 KiB, L2 1024 KiB, L3 32768 KiB\nverified:" +
		strings.Repeat(" everything", 12) + "\n")
	paths := []string{"generic", "avx2", "avx512"}
	for _, op := range sampleOps {
		for _, n := range []int{3, 8, 31, 100, 1023, 4096, 65536, 1 << 20, 1 << 24} {
			level := "L1"
			switch {
			case n >= 1<<24:
				level = "DRAM"
			case n >= 1<<20:
				level = "L3"
			case n >= 4096:
				level = "L2"
			}
			for i, path := range paths {
				rate := 1e3 * float64(4+60*i) * float64(n) / float64(n+100)
				fmt.Fprintf(&text, "BenchmarkKernels/op=%s/n=%d/level=%s/isa=%s 1 %g MB/s", op, n, level,
					path, rate)
				if n >= 8 && op != "dotsparse" {
					fmt.Fprintf(&text, " %g %%limit", rate/(2e3*float64(n)/float64(n+80)))
				}
				fmt.Fprintln(&text)
			}
		}
	}
	var points []measured.Point
	for i, set := range sampleSets {
		for k, path := range paths {
			fmt.Fprintf(&text, "BenchmarkTrain/op=train-%s/n=60000/isa=%s 1 %de6 steps/s\n", set, path, k+1)
		}
		by := float64(i + 1)
		for e := range 20 {
			points = append(points, measured.Point{Run: set, Steps: int64(1000 * (e + 1)),
				Objective: 0.3 + 1/float64(e+2), Dual: 0.3 - 0.3/float64(e+2),
				Seconds: 0.01 * by * float64(e+1), Accuracy: 0.9 - 0.5/by/float64(e+2)})
		}
	}
	keepText(t, dir, "bench.txt", text.String())
	if err := measured.WritePoints(dir, points); err != nil {
		t.Fatal(err)
	}
}

func sampleHistory(t *testing.T, dir string) string {
	folder := filepath.Join(dir, "history")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for c, cpu := range []string{"Made-up CPU @ 3.00GHz",
		"arm64 implementer 0x41, part 0xd0c, revision r3p1"} {
		for i := range 41 {
			r := &history.Run{Time: time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC),
				Commit: fmt.Sprintf("%040x", uint64(i+1)*0x9e3779b97f4a7c15)[24:], CPU: cpu,
				Verdict: "pass"}
			for _, isa := range []string{"generic", []string{"avx2", "neon"}[c]} {
				r.Set("op=dot/isa="+isa, "insn/call", 1000-float64(10*(i/10)))
				r.Set("op=dot/isa="+isa, "ns/op", 100+5*math.Sin(float64(i)))
			}
			r.Set("all functions/amd64", "text-bytes", 50000+100*float64(i))
			if err := history.Append(history.File(folder, cpu), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folder
}

func keepText(t *testing.T, dir, name, text string) string {
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
