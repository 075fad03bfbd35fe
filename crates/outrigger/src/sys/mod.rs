//! What touches the operating system, in one place: time limits, files, folders,
//! environment, processes. Knows nothing of agents, editors or Lisp.

pub(crate) mod deadline;
pub(crate) mod env;
pub(crate) mod fs;
pub(crate) mod lock;
pub(crate) mod paths;
pub(crate) mod process;
pub(crate) mod programs;
