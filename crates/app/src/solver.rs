//! The solver program of this machine, with bounds on what is asked of it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use adit_smt::{Answer, Arena, COMMANDS, Expr, Missing, Patience, Process, Reason, Solver};

use crate::install_hints::on_path;

/// A solver that stops answering: after a number of questions, after some that it failed on, or at a moment.
pub(crate) struct BoundedSolver {
    solver: Box<dyn Solver>,
    /// False if the machine has no solver program.
    pub(crate) exists: bool,
    questions: usize,
    failures: usize,
    deadline: Option<Instant>,
    /// The last failure.
    failed: Option<Reason>,
}

/// Returns the solver program of this machine, which gets so much time for one question. Without a program,
/// no question has an answer.
pub(crate) fn available(patience: Duration) -> BoundedSolver {
    match COMMANDS.iter().find_map(|command| on_path(command)) {
        Some(program) => BoundedSolver::of_program(program, patience),
        None => BoundedSolver { exists: false, ..BoundedSolver::unbounded(Box::new(Missing)) },
    }
}

impl BoundedSolver {
    /// A solver program, without a bound so far.
    pub(crate) fn of_program(program: PathBuf, patience: Duration) -> Self {
        Self::unbounded(Box::new(Process::new(program, Patience(patience))))
    }

    fn unbounded(solver: Box<dyn Solver>) -> Self {
        let (questions, failures) = (usize::MAX, usize::MAX);
        Self { solver, exists: true, questions, failures, deadline: None, failed: None }
    }

    /// Answers at most so many questions.
    pub(crate) fn few(self, questions: usize) -> Self {
        Self { questions, ..self }
    }

    /// Asks no more after so many failures: a program that hangs, dies or prints nonsense does it again, and
    /// every time-out costs the whole patience. “I do not know” is no failure.
    pub(crate) fn failing(self, failures: usize) -> Self {
        Self { failures, ..self }
    }

    /// Answers nothing after this moment.
    pub(crate) fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }
}

impl Solver for BoundedSolver {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        if let (0, Some(reason)) = (self.failures, &self.failed) {
            return Answer::Unknown(reason.clone());
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || self.questions == 0 {
            let why = if is_late { "the budget ended" } else { "too much was asked" };
            return Answer::Unknown(Reason::Undecided(why.to_owned()));
        }
        self.questions -= 1;
        let answer = self.solver.check(arena, constraints);
        if let Answer::Unknown(reason @ (Reason::TimedOut(_) | Reason::Died(_) | Reason::Nonsense(_))) =
            &answer
        {
            self.failures -= 1;
            self.failed = Some(reason.clone());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use adit_smt::{Model, Sort};

    use super::*;

    /// A solver that has an answer to every other question.
    struct Moody(bool);

    impl Solver for Moody {
        fn check(&mut self, _: &mut Arena, _: &[Expr]) -> Answer {
            self.0 = !self.0;
            let failure = Reason::TimedOut(Duration::ZERO);
            if self.0 { Answer::Sat(Model::default()) } else { Answer::Unknown(failure) }
        }
    }

    #[test]
    fn a_bounded_solver_stops_answering() {
        let bounded = || BoundedSolver::unbounded(Box::new(Moody(false)));
        let answers = |mut solver: BoundedSolver| {
            let mut arena = Arena::new();
            let x = arena.var("x", Sort::Bool);
            (0..8).filter(|_| matches!(solver.check(&mut arena, &[x]), Answer::Sat(_))).count()
        };
        assert_eq!(answers(bounded()), 4);
        assert_eq!(answers(bounded().few(3)), 2);
        assert_eq!(answers(bounded().failing(2)), 2);
        assert_eq!(answers(bounded().until(Some(Instant::now()))), 0);
    }
}
