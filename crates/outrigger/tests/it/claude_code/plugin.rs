//! The plugin in the real CLI, alone and together with the settings.

use expect_test::expect;

use super::run::{Case, Installed, our_settings};
use super::{assert_contains, bash, edit, files, write};

#[test]
fn the_plugin_alone_is_called_for_every_event() {
    check_every_event_is_decided_once(Case::new().install(Installed::Plugin));
}

#[test]
fn plugin_and_settings_together_decide_every_event_once() {
    let case = Case::new();
    let settings = our_settings(case.program());
    let case = case.install(Installed::Settings(settings)).install(Installed::Plugin);
    check_every_event_is_decided_once(case);
}

#[track_caller]
fn check_every_event_is_decided_once(case: Case) {
    let (path, state) = (case.path("a.txt"), case.below("state"));
    let own = state.join("outrigger/x");
    let run = case
        .arg("--add-dir")
        .arg(&state)
        .arg("--allowedTools")
        .arg("Bash")
        .uses(write(&path, "one\n"))
        .uses(edit(&path, "one", "two"))
        // The same call again is another event.
        .uses(bash("cat a.txt"))
        .uses(bash("cat a.txt"))
        .uses(write(&own, "mine\n"))
        .run();
    expect![[r"
        session-started -> pass
        prompt -> pass
        before-tool Write the project/a.txt -> pass
        after-tool Write the project/a.txt -> pass
        before-tool Edit the project/a.txt -> pass
        after-tool Edit the project/a.txt -> pass
        before-tool Bash -> pass
        after-tool Bash -> pass
        before-tool Bash -> pass
        after-tool Bash -> pass
        before-tool Write state/outrigger/x -> refuse
        stopping -> pass
        session-ended -> pass
    "]]
    .assert_eq(&run.decisions());
    assert_eq!(run.files(), files([("a.txt", "two\n")]));
    assert_eq!(run.told()[5].matches("is part of outrigger's own state").count(), 1);
    assert_contains(&run.shown(), "Done.\n");
}
