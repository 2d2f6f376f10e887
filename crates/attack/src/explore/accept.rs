//! Acceptance: runs that the model rejects are followed, so that it accepts them.

use adit_trace::{Letter, Phase, Run, Script};

use super::exploration::{Exploration, SituationId, Successor, Unprobed};
use super::labels;
use crate::ObjectTrace;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::{Halt, Prober, StateHash};

impl Exploration {
    /// Follows a run that the model rejects, so that it accepts it: each situation on its way is probed.
    pub(super) fn accept<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        script: &Script,
        run: &Run,
    ) -> Result<(), Halt<S::Error>> {
        for heard in prober.reader.read(script, run) {
            prober.ask(&self.progress(Phase::Accept))?;
            self.update(prober)?;
            if self.draft(prober.reader).fsa.reads(&labels(prober.reader, &heard.word)) {
                continue;
            }
            self.follow_way(prober, script, &heard)?;
        }
        Ok(())
    }

    /// Follows the way of an object that does new things, though the model accepts them.
    pub(super) fn follow_new_way<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        Situation { script, object }: &Situation,
        run: &Run,
    ) -> Result<(), Halt<S::Error>> {
        prober.ask(&self.progress(Phase::Accept))?;
        self.update(prober)?;
        let heard = prober.reader.read(script, run).into_iter().find(|heard| heard.object == *object);
        heard.map_or(Ok(()), |heard| self.follow_way(prober, script, &heard))
    }

    /// Probes each situation on the way of an object.
    fn follow_way<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        script: &Script,
        heard: &ObjectTrace,
    ) -> Result<(), Halt<S::Error>> {
        // What happened once by chance, such as a number that was the port of a server, is not what the
        // class does.
        let again = prober.run(&[script.clone(), script.clone()]).map_err(Halt::Failed)?;
        if again.iter().any(|run| !run.was_run()) {
            return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
        }
        let same = |run: &Run| prober.reader.read(script, run).iter().any(|other| other.word == heard.word);
        if !again.iter().all(same) {
            return Ok(());
        }
        let way = Situation::along(script, heard.object, &heard.statements);
        // Each is looked at as all others were, at the end of its script.
        let observed = prober.observe(&way).map_err(Halt::Failed)?;
        observed.iter().flatten().for_each(|observed| self.fields.see(observed));
        let states: Option<Vec<StateHash>> =
            observed.iter().map(|one| one.as_ref().map(|observed| observed.state)).collect();
        let Some(states) = states else { return Ok(()) };
        let way: Vec<Unprobed> = way.into_iter().zip(states).collect();
        if way.len() < heard.statements.len() {
            return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
        }
        let first = self.situations.len();
        if self.probe(prober, way.clone())? < way.len() {
            // A way that was probed in part would lead nowhere.
            self.forget_after(first);
            return Err(prober.why_not_run(&self.progress(Phase::Accept)).into());
        }
        // A call that the pool lacks is tried everywhere, or else it would seem to be possible here
        // alone.
        for (index, (&at, &letter)) in heard.statements.iter().zip(&heard.word).enumerate().skip(1) {
            let gives = |one: &Successor| one.letter == letter;
            if !self.situations[first + index - 1].successors.iter().any(gives)
                && let Some(new) = Move::cut_out(script, at, heard.object)
            {
                self.add_move(prober, new)?;
            }
        }
        self.add_way(first, &heard.word, way);
        Ok(())
    }

    /// Links situations that were probed along a word. What happened is possible, whatever the pool of moves
    /// says.
    fn add_way(&mut self, first: usize, word: &[Letter], way: Vec<Unprobed>) {
        for (index, ((situation, state), &letter)) in way.into_iter().zip(word).enumerate() {
            let probed = Some(SituationId(first + index));
            let successor = Successor { letter, situation, state, probed, like: None };
            match index.checked_sub(1) {
                None => self.creations.push(successor),
                Some(before) => {
                    let mut successors = std::mem::take(&mut self.situations[first + before].successors);
                    successors.push(successor);
                    let enabled = self.enabled_set(&successors);
                    let before = &mut self.situations[first + before];
                    (before.enabled, before.successors) = (enabled, successors);
                }
            }
        }
    }
}
