//! Resources of this process that should not outlive its work: children, threads, descriptors, folders.

use std::fs;
use std::path::Path;

use miette::{IntoDiagnostic, Result};

/// Number of each kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Belongings {
    /// Child processes, dead ones that nobody waited for among them.
    children: usize,
    threads: usize,
    descriptors: usize,
    /// Boxes of workers.
    boxes: usize,
}

impl Belongings {
    /// Counts what there is now; `boxes` is the folder in which workers have theirs.
    pub(crate) fn count(boxes: &Path) -> Result<Self> {
        let entries = |folder: &Path| fs::read_dir(folder).into_diagnostic().map(Iterator::count);
        Ok(Self {
            children: children()?,
            threads: entries(Path::new("/proc/self/task"))?,
            descriptors: entries(Path::new("/proc/self/fd"))?,
            boxes: entries(boxes)?,
        })
    }

    /// Describes in words how much more there is than before.
    pub(crate) fn beyond(&self, before: &Self) -> String {
        let more = |now: usize, then: usize, what: &str| match now.checked_sub(then) {
            Some(more) => format!("{more} {what}"),
            None => format!("{} {what} fewer", then - now),
        };
        [
            more(self.children, before.children, "processes"),
            more(self.threads, before.threads, "threads"),
            more(self.descriptors, before.descriptors, "descriptors"),
            more(self.boxes, before.boxes, "folders"),
        ]
        .join(", ")
    }
}

fn children() -> Result<usize> {
    let own = std::process::id().to_string();
    let is_child = |stat: &String| {
        // The name of the program stands in parentheses and may contain anything; state and parent follow.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        parent == Some(&own)
    };
    let entries = fs::read_dir("/proc").into_diagnostic()?;
    // A process that ends meanwhile has nothing to read, and is no child that is left.
    let stats = entries.flatten().filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    Ok(stats.filter(is_child).count())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_is_left_is_seen() {
        let boxes = tempfile::tempdir().unwrap();
        let before = Belongings::count(boxes.path()).unwrap();
        assert_eq!(before.beyond(&before), "0 processes, 0 threads, 0 descriptors, 0 folders");
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        fs::create_dir(boxes.path().join("adit-box")).unwrap();
        let after = Belongings::count(boxes.path()).unwrap();
        assert_eq!(after.children, before.children + 1);
        assert_eq!(after.boxes, before.boxes + 1);
        assert!(after.descriptors > before.descriptors);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
