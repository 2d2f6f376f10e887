//! The columns that are used: by name, from the schema of a table or the names of its folders.

use adit_trace::read::{Columns, Fields, NoColumn, parse_time};
use arrow_schema::{DataType, TimeUnit};

use crate::TableOptions;
use crate::error::TableError;
use crate::table::Table;

/// Source of a column's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A column of the table, by its place in the schema.
    Schema(usize),
    /// The name of a folder, such as `day=2026-11-17`: the same value in each row of the table.
    Folder(String),
}

/// A column that is used.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) kind: DataType,
}

/// The columns that are used.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) trace: Column,
    pub(crate) event: Column,
    pub(crate) time: Option<Column>,
    pub(crate) returned: Option<Column>,
    pub(crate) threw: Option<Column>,
    /// Times are multiplied by this, if the tables of a log count in different units.
    pub(crate) time_scale: i64,
}

/// The use of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Trace,
    Event,
    Time,
    Returned,
    Threw,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Event => "event",
            Self::Time => "time",
            Self::Returned => "result",
            Self::Threw => "exception",
        }
    }

    fn takes(self, kind: &DataType) -> bool {
        match self {
            Self::Trace | Self::Time => is_text(kind) || is_number(kind),
            Self::Event | Self::Threw => is_text(kind),
            Self::Returned => is_text(kind) || *kind == DataType::Boolean,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Trace => {
                "a trace id is a text or a whole number: select one field of a nested value before you write \
                 the table, or name another column with `--case`"
            }
            Self::Event => {
                "the name of an event is a text: cast the column before you write the table, or name another \
                 with `--activity`"
            }
            Self::Time => {
                "a time or sequence number is a timestamp, a date, a whole number or a text: cast the column \
                 before you write the table, or name another with `--time`"
            }
            Self::Returned => "the column `returned` is a text or a boolean: cast or rename it",
            Self::Threw => "the column `threw` is a text: cast or rename it",
        }
    }
}

impl Chosen {
    pub(crate) fn find(table: &Table, options: &TableOptions) -> Result<Self, TableError> {
        let schema = table.schema();
        let mut names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let own = names.len();
        let folders = table.folders();
        names.extend(folders.iter().map(|(name, _)| name.as_str()));
        let fields =
            Fields { trace: options.trace.clone(), event: options.event.clone(), time: options.time.clone() };
        let found =
            Columns::find(&names, &fields, false).map_err(|NoColumn { wanted, found, hint, named: _ }| {
                TableError::NoColumn { file: table.name.clone(), wanted, found, hint }
            })?;
        // The day in the name of a folder orders nothing within a trace, unless somebody asks for it.
        let time = match (&fields.time, found.time) {
            (None, Some(place)) if place >= own => {
                Columns::find(&names[..own], &fields, false).map_or(None, |found| found.time)
            }
            (_, time) => time,
        };
        let column = |place: usize, role: Role| {
            if place >= own {
                let (name, value) = &folders[place - own];
                let place = Place::Folder(value.clone());
                return Ok(Column { name: name.clone(), place, kind: DataType::Utf8 });
            }
            let field = schema.field(place);
            let (name, kind) = (field.name().clone(), field.data_type().clone());
            if role.takes(&kind) {
                return Ok(Column { name, place: Place::Schema(place), kind });
            }
            Err(TableError::Type {
                file: table.name.clone(),
                column: name,
                wanted: role.name(),
                kind: kind.to_string(),
                hint: role.advice(),
            })
        };
        let optional = |place: Option<usize>, role| place.map(|place| column(place, role)).transpose();
        Ok(Self {
            trace: column(found.trace, Role::Trace)?,
            event: column(found.event, Role::Event)?,
            time: optional(time, Role::Time)?,
            returned: optional(found.returned, Role::Returned)?,
            threw: optional(found.threw, Role::Threw)?,
            time_scale: 1,
        })
    }

    fn all(&self) -> impl Iterator<Item = &Column> {
        let optional = [&self.time, &self.returned, &self.threw];
        [&self.trace, &self.event].into_iter().chain(optional.into_iter().flatten())
    }

    /// The places of the columns in the schema.
    pub(crate) fn places(&self) -> Vec<usize> {
        let place = |column: &Column| match column.place {
            Place::Schema(place) => Some(place),
            Place::Folder(_) => None,
        };
        self.all().filter_map(place).collect()
    }

    /// The names of the columns by their use.
    pub(crate) fn named(&self) -> Vec<(&'static str, String)> {
        let mut named = vec![("trace", self.trace.name.clone()), ("event", self.event.name.clone())];
        for (role, column) in [("time", &self.time), ("returned", &self.returned), ("threw", &self.threw)] {
            named.extend(column.as_ref().map(|column| (role, column.name.clone())));
        }
        named
    }
}

impl Column {
    /// Its values are whole numbers or times.
    pub(crate) fn is_number(&self) -> bool {
        is_number(&self.kind)
    }

    /// Its values are signed, so that their order is that of their bits.
    pub(crate) fn is_signed(&self) -> bool {
        matches!(self.kind, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64)
    }

    /// Nanoseconds in the unit of its times; nothing for numbers of any other meaning.
    fn unit(&self) -> Option<i64> {
        match &self.kind {
            DataType::Timestamp(unit, _) => Some(match unit {
                TimeUnit::Second => 1_000_000_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Nanosecond => 1,
            }),
            DataType::Date32 => Some(86_400_000_000_000),
            DataType::Date64 => Some(1_000_000),
            kind if is_text(kind) => Some(1),
            _ => None,
        }
    }
}

/// Makes the columns of all tables of a log comparable: ids of one kind, and times in the finest unit.
pub(crate) fn reconcile(tables: &[Table], chosen: &mut [Chosen]) -> Result<(), TableError> {
    let Some(first) = chosen.first().cloned() else { return Ok(()) };
    let differ = |at: usize, what: &'static str, one: &Column, other: &Column| TableError::Differ {
        file: tables[at].name.clone(),
        what,
        kind: other.kind.to_string(),
        first: tables[0].name.clone(),
        first_kind: one.kind.to_string(),
    };
    let mut finest = i64::MAX;
    for (at, table) in chosen.iter().enumerate() {
        if table.trace.is_number() != first.trace.is_number() {
            return Err(differ(at, "trace", &first.trace, &table.trace));
        }
        if let (Some(one), Some(other)) = (&first.time, &table.time) {
            if one.unit().is_some() != other.unit().is_some() {
                return Err(differ(at, "time", one, other));
            }
            finest = finest.min(other.unit().unwrap_or(i64::MAX));
        }
    }
    for table in chosen {
        let unit = table.time.as_ref().and_then(Column::unit);
        table.time_scale = unit.map_or(1, |unit| unit / finest);
    }
    Ok(())
}

/// The time that a text of a column stands for, in nanoseconds or as the number that it is.
pub(crate) fn time_of_text(text: &str) -> Option<i64> {
    parse_time(text)
}

pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values) && !matches!(**values, DataType::Dictionary(..)),
        _ => false,
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64)
}
