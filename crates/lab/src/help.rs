//! Examples of the commands of the lab. They work on the sample corpora of the repository, in this order; a test runs them.

use dehusk::cli::help::Example;

/// The examples of a command, by its name without `dehusk-lab`.
pub fn examples(name: &str) -> &'static [Example] {
    match name {
        "" => &[Example {
            purpose: "Learn to decide from texts and their main texts, and see how well that does on sources that it has not seen",
            lines: &["dehusk-lab train --decision corpora/news --gold corpora/news-gold -o decision.yaml"],
        }],
        "train" => &[
            Example {
                purpose: "Learn to decide from your own texts, and use what was learned",
                lines: &[
                    "dehusk-lab train --decision corpora/news --gold corpora/news-gold -o own.yaml",
                    "dehusk-lab dehusk run corpora/news -o by-own-model --decision-model own.yaml",
                ],
            },
            Example {
                purpose: "Learn the structure of HTML pages, and clean pages by nothing else",
                lines: &[
                    "dehusk-lab train --pages corpora/news/orchard-courier.example -o pages.yaml",
                    "dehusk-lab tree corpora/news/orchard-courier.example -o by-tree --page-model pages.yaml",
                ],
            },
        ],
        "mine" => &[Example {
            purpose: "Count pages once that have the same largest segment",
            lines: &["dehusk-lab mine corpora/news/orchard-courier.example -o by-segments"],
        }],
        "tree" => &[Example {
            purpose: "Clean pages by the shipped model",
            lines: &["dehusk-lab tree corpora/news/orchard-courier.example -o by-shipped"],
        }],
        "wang" => &[Example {
            purpose: "Clean documents as they arrive, by the counts of their blocks",
            lines: &["dehusk-lab wang corpora/news --state wang.state -o wang.jsonl"],
        }],
        "inject" => &[Example {
            purpose: "See how much is removed of templates that are in half of 10 documents",
            lines: &["dehusk-lab inject --documents 10 --shares 50 --templates 2"],
        }],
        "feeds" => &[Example {
            purpose: "Compare the pages of a crawl with the full texts in its feeds",
            lines: &["dehusk-lab feeds corpora/crawl.warc --per-source"],
        }],
        "nodes" => &[Example {
            purpose: "See how well pages are divided without any other page of their site",
            lines: &["dehusk-lab nodes corpora/news --gold corpora/news-gold --penalty 0.1,1,10"],
        }],
        "segments" => &[Example {
            purpose: "See how well the segments of pages agree with those that people marked",
            lines: &["dehusk-lab segments corpora/news --gold corpora/segments.jsonl"],
        }],
        "blocks" => &[Example {
            purpose: "Compare learners, each learned without the pages that it judges",
            lines: &["dehusk-lab blocks corpora/news --gold corpora/levels.jsonl --folds 4 --by blocks"],
        }],
        "features" => &[Example {
            purpose: "Write the 42 features of each visual block, for a learner of your own",
            lines: &["dehusk-lab features corpora/news/orchard-courier.example --of importance -o features.jsonl"],
        }],
        "stream" => &[Example {
            purpose: "See how soon templates are found",
            lines: &["dehusk-lab stream corpora/news --gold corpora/news-gold --plot stream.svg"],
        }],
        "experiment" => &[Example {
            purpose: "See whether the same article is recognised under two templates",
            lines: &["dehusk-lab experiment duplicates corpora/news --gold corpora/news-gold"],
        }],
        "levels" => &[Example {
            purpose: "Label the texts of pages by their main texts",
            lines: &["dehusk-lab levels corpora/news --gold corpora/news-gold -o levels.jsonl"],
        }],
        "boxes" => &[Example {
            purpose: "Draw pages in Chromium; first start chromedriver --port=9515",
            lines: &["dehusk-lab boxes corpora/news/orchard-courier.example -o boxes.jsonl"],
        }],
        _ => &[],
    }
}
