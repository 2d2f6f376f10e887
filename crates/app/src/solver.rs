//! The solver program of this machine, with bounds on what is asked of it.

use std::time::{Duration, Instant};

use adit_smt::{Answer, Arena, COMMANDS, Expr, Missing, Patience, Process, Reason, Solver};

use crate::install_hints::on_path;

/// A solver that stops answering: after a number of questions, or at a moment.
pub(crate) struct BoundedSolver {
    solver: Box<dyn Solver>,
    /// False if the machine has no solver program.
    pub(crate) exists: bool,
    questions: usize,
    unanswered: usize,
    deadline: Option<Instant>,
}

/// Returns the solver program of this machine, which gets so much time for one question. Without a program,
/// no question has an answer.
pub(crate) fn available(patience: Duration) -> BoundedSolver {
    let program = COMMANDS.iter().find_map(|command| on_path(command));
    let exists = program.is_some();
    let solver: Box<dyn Solver> = match program {
        Some(program) => Box::new(Process::new(program, Patience(patience))),
        None => Box::new(Missing),
    };
    BoundedSolver { solver, exists, questions: usize::MAX, unanswered: usize::MAX, deadline: None }
}

impl BoundedSolver {
    /// Answers at most so many questions, and none after so many that had no answer.
    pub(crate) fn few(self, questions: usize, unanswered: usize) -> Self {
        Self { questions, unanswered, ..self }
    }

    /// Answers nothing after this moment.
    pub(crate) fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }
}

impl Solver for BoundedSolver {
    fn check(&mut self, arena: &mut Arena, constraints: &[Expr]) -> Answer {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || self.questions == 0 || self.unanswered == 0 {
            let why = if is_late { "the budget ended" } else { "too much was asked" };
            return Answer::Unknown(Reason::Undecided(why.to_owned()));
        }
        self.questions -= 1;
        let answer = self.solver.check(arena, constraints);
        if matches!(answer, Answer::Unknown(_)) {
            self.unanswered -= 1;
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
            if self.0 { Answer::Sat(Model::default()) } else { Answer::Unknown(Reason::Missing) }
        }
    }

    #[test]
    fn a_bounded_solver_stops_answering() {
        let bounded = || BoundedSolver {
            solver: Box::new(Moody(false)),
            exists: true,
            questions: usize::MAX,
            unanswered: usize::MAX,
            deadline: None,
        };
        let answers = |mut solver: BoundedSolver| {
            let mut arena = Arena::new();
            let x = arena.var("x", Sort::Bool);
            (0..8).filter(|_| matches!(solver.check(&mut arena, &[x]), Answer::Sat(_))).count()
        };
        assert_eq!(answers(bounded()), 4);
        assert_eq!(answers(bounded().few(3, 9)), 2);
        assert_eq!(answers(bounded().few(9, 2)), 2);
        assert_eq!(answers(bounded().until(Instant::now())), 0);
    }
}
