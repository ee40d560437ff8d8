//! Sites that were made to hang, crash, trap or fill the crawler. A plan: the tests come with the crawl loop.
//!
//! Every test has one host that misbehaves and one that does not, `good.example`, with 20 pages. What is asked of all of them:
//!
//! - the crawl ends within its time limit, and all 20 good pages are in the WARC;
//! - the WARC can be read to its end, and so can the frontier: a second run starts;
//! - memory stays under a limit (`VmHWM` of the process), and so do the files;
//! - at both domains, no two requests are closer than the delay (`closest_of_all`), and none are at once (`most_at_once`);
//! - nothing is sent to an address that the server does not have (`names`).
//!
//! What is asked of each behaviour:
//!
//! | behaviour | requests | in the WARC | reported as |
//! |---|---|---|---|
//! | `SlowHeaders`, `Hang`, `EndlessInterim` | tries | no response | time limit |
//! | `EndlessHeaders`, `ManyHeaders(100_000)`, `HugeHeader` | 1 | no response | headers too large |
//! | `HeadersCutOff`, `StatusLineGarbage`, `StatusTooLarge`, `Http09` | tries or 1 | no response | no HTTP |
//! | `OddHeaders`, `NulBytes` | 1 | the page, or no response; it can be read | - |
//! | `SlowBody` | 1 | cut: `WARC-Truncated: time` | time limit |
//! | `EndlessBody`, `ChunkedEndless`, `TenMegabytePage` | 1 | cut: `WARC-Truncated: length` | too long |
//! | `LengthTooLong`, `ChunkedCutOff` | tries or 1 | cut: `WARC-Truncated: disconnect`, or none | cut off |
//! | `LengthTooShort` | 1 | ten bytes; the rest is never read as the next answer | - |
//! | `LengthNegative`, `LengthNotANumber`, `LengthHuge`, `TwoLengths` | 1 | no response | bad length |
//! | `LengthAlmostHuge` | 1 | cut; no memory is taken for what is promised | cut off |
//! | `LengthAndChunked` | 1 | the chunked body, or none; the connection is not used again | - |
//! | `ChunkedBroken`, `ChunkedHuge`, `ChunkedTrailers` | 1 | none, or cut | bad chunk |
//! | `GzipBomb`, `GzipBombMembers` | 1 | cut at the limit of what is unpacked | too long |
//! | `GzipBombFile` at `/sitemap.xml.gz` | 1 | - | the sitemap is cut |
//! | `GzipBroken`, `GzipWrongSum`, `GzipLie`, `UnknownEncoding`, `GzipTwice` | 1 | whatever it is, it can be read | broken |
//! | `CharsetLie`, `CharsetLieUtf16`, `CharsetUnknown` | 1 | the bytes as they came; links are found | - |
//! | `Redirect` to a good page | 2 | both, or the target; robots.txt of the target is asked first | - |
//! | `RedirectLoop` | 1 | at most one | redirected too often |
//! | `RedirectChain(3)`, `RedirectChain(100)` | 4, limit | with the delay between the steps | -, too often |
//! | `RedirectToPrivate(0..12)`, `RedirectToOtherScheme(0..6)` | 1 | the redirection at most | not allowed |
//! | `RedirectWithoutLocation`, `LocationGarbage`, `RedirectToLongUrl` | 1 | the redirection at most | bad redirection |
//! | `CloseAtOnce`, `CloseAfterRequest`, `Reset`, `ResetInBody`, also for `*` | tries | none | connection |
//! | `ResetTimes(1)`, `Unavailable(1)` | 2 | the page | - |
//! | `RetryAfter { seconds: 2, times: 1 }`, and as a date | 2, two seconds apart; none to the domain between | the page | - |
//! | `RetryAfter { seconds: 999_999_999, .. }`, `RetryAfterText("soon")` | 1 | - | the run ends all the same |
//! | `Status(500)` at `/robots.txt` | no page of the host | - | robots.txt |
//! | `Status(404)` at `/robots.txt` | all pages | all | - |
//! | `EndlessBody`, `GzipBomb`, `BinaryAsHtml`, `RedirectLoop`, `Hang` at `/robots.txt` | ends | - | robots.txt |
//! | `SetCookies` | all pages | all; `cookies() == 0` | - |
//! | `Interim` | 1 | the page, not the 103 | - |
//! | `EmptyReply`, `NoContentWithBody` | 1 | nothing, or an empty one | - |
//! | `AlwaysNotModified` | 1 | none | - |
//! | `Trap`, `DeepTrap`, `QueryTrap`, `SoftNotFound` at all paths | the limit of pages of a host at most | - | limit |
//! | `SessionIds` | 21 at most, each page once | 21 | - |
//! | `ManyLinks(100_000)`, `HostFlood(1000)` | the limit; unknown hosts get no request | - | limit |
//! | `DeepHtml`, `BinaryAsHtml`, `Image` | 1 | the page, or not kept because of its type | - |
//! | `XmlBomb` as feed and as sitemap | 1 | - | broken, or no entries |
//!
//! And over TLS (module `tls`): a certificate that is not trusted, a certificate of another name (`start_without`), plain text on the
//! port of `https`, and a redirection from `https` to `http`.
