/* stepscope-tutorial(7): from a launch command to a signed review. */
#include "cli/topics.h"

static const struct {
	const char *title, *before, *lines, *after;
} screens[] = {
	{ "1. What you have",
	  "Somebody launches a model and you are to say what it costs. Give the command as it "
	  "stands; a start-up log, a compose file or a config.json do as well.",
	  "$ stepscope import launch.sh -o mine\n",
	  "The table says what was taken, what has no effect here and what is not priced. "
	  "`mine/scenarios` has the deployment." },
	{ "2. Does it start, does it fit",
	  "What the engine would not start is refused, with the nearest settings that work.",
	  "$ stepscope fit mine/scenarios/*.json\n", "" },
	{ "3. Open it",
	  "The explorer shows the deployment on the left, a pane on the right, the price on top.",
	  "$ stepscope mine/scenarios/*.json\n",
	  "`j` and `k` move, `Space` takes the next value, `u` takes it back. The price follows "
	  "each key. `?` tells what the keys do where you are." },
	{ "4. What really runs",
	  "Pane `1`, Resolved, lists what was stated, what runs, and why they differ. A mark "
	  "shows what was assumed for you.",
	  "$ stepscope resolve mine/scenarios/*.json\n", "" },
	{ "5. Where the time goes",
	  "Pane `4`, Step: terms with their seconds, largest first. `Enter` opens one down to its "
	  "law, the numbers in it and the source of each.",
	  "$ stepscope price mine/scenarios/*.json\n$ stepscope layers mine/scenarios/*.json\n",
	  "" },
	{ "6. Where the memory goes",
	  "Pane `5`, Memory: what a rank holds, what is left for the KV cache, how many requests "
	  "of a length fit.",
	  "$ stepscope memory mine/scenarios/*.json\n", "" },
	{ "7. What if",
	  "Pin the present state with `b`, change a setting, and pane `8` says what moved and by "
	  "how much, and how much of it is a known error of a law.",
	  "$ stepscope compare mine/scenarios/*.json --set tp=4\n", "" },
	{ "8. All of them",
	  "Pane `7` draws a figure over a setting; a sweep prices every combination.",
	  "$ stepscope sweep mine/scenarios/*.json --vary tp=2,4,8 --vary batch=1..256:x2 \\\n"
	  "    --where fits --best tokens_per_s_per_gpu --top 5\n",
	  "" },
	{ "9. Under a load",
	  "A step is not what users wait for. Pane `V`, Serve, plays requests through the "
	  "engine's scheduler: 8,192 tokens in, 500 out, 64 at once.",
	  "$ stepscope serve mine/scenarios/*.json --load 8192/500@64 --slo ttft=2s,tpot=40ms\n",
	  "" },
	{ "10. How many GPUs",
	  "Twenty such requests a second: how many GPUs, of which part, how wide? The command "
	  "of each answer stands below it.",
	  "$ stepscope plan mine/scenarios/*.json --part h100,h200 --tp 2,4,8 \\\n"
	  "    --load 8192/500 --rate 20/s --slo ttft=2s,tpot=40ms\n",
	  "With `--model` and `--part` it needs no scenario; `--gpu-cost h100=2.5,h200=3.2` puts "
	  "the cheapest first." },
	{ "11. What it rests on",
	  "Pane `3`, Evidence: how much of the price was measured. `w` walks the assumed values, "
	  "those that move the price first: `a` accepts one, `t` tries another value, `'` writes "
	  "a note.",
	  "$ stepscope evidence mine/scenarios/*.json\n$ stepscope walk mine/scenarios/*.json\n",
	  "`stepscope score` sets the price against published runs, and against runs of your own: "
	  "a table, or what `vllm bench serve` saved." },
	{ "12. The review",
	  "`S` keeps the review beside the scenario; the audit prints with it, and a check fails "
	  "while something assumed is not reviewed.",
	  "$ stepscope report mine/scenarios/*.json --format markdown -o audit.md\n", "" },
};

void topic_tutorial(struct manual_page *page)
{
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		page_heading(page, screens[i].title);
		page_paragraph(page, screens[i].before);
		page_lines(page, screens[i].lines);
		if (*screens[i].after)
			page_paragraph(page, screens[i].after);
	}
	page_heading(page, "See also");
	page_paragraph(page, "`stepscope`(1), `stepscope-registry`(5), `stepscope-laws`(7)");
}
