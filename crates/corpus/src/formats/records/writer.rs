//! Writes a file with many documents again.
//!
//! Takes [`Batch`]es in order, and what is [`Kept`] of each record. Writes a file of the same format. A file of lines
//! or WARC records consists of the bytes of its records, one after another, compressed as a whole or record by record.
//! Only an array, whose values are joined by commas, and a table of Parquet need more than that.

use std::io::{self, Write};

use super::Packing;
#[cfg(feature = "parquet")]
use super::batch::Content;
use super::batch::{Batch, Kept};
#[cfg(feature = "parquet")]
use crate::formats::parquet;
use crate::read::compression::{Compression, Encoder};

/// Writes records in order. [`finish`](RecordWriter::finish) must be called at the end.
pub struct RecordWriter<W: Write + Send> {
    sink: Sink<W>,
    /// Whether the last value of the array that begins was dropped, so that the next one needs no comma.
    is_first: bool,
}

enum Sink<W: Write + Send> {
    Stream(Encoder<W>),
    /// Compresses each record by itself.
    ByRecord(W, Compression),
    #[cfg(feature = "parquet")]
    Table(Box<parquet::TableWriter<W>>),
}

impl<W: Write + Send> RecordWriter<W> {
    /// Writes the bytes of records to `sink`, in this compression.
    pub(super) fn new(sink: W, packing: Packing) -> io::Result<RecordWriter<W>> {
        let Packing { compression, is_by_record } = packing;
        let sink = match is_by_record {
            true => Sink::ByRecord(sink, compression),
            false => Sink::Stream(Encoder::new(sink, compression)?),
        };
        Ok(RecordWriter { sink, is_first: false })
    }

    /// Writes the rows of a table.
    #[cfg(feature = "parquet")]
    pub(super) fn of_table(writer: parquet::TableWriter<W>) -> RecordWriter<W> {
        RecordWriter { sink: Sink::Table(Box::new(writer)), is_first: false }
    }

    /// Writes what is `kept` of the records of a batch, from the record with index `first` on.
    pub fn write(&mut self, batch: &Batch, first: usize, kept: Vec<Kept>) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let (Sink::Table(writer), Content::Rows(rows)) = (&mut self.sink, &batch.content) {
            return writer.write(rows, first, kept.into_iter().map(|Kept(form)| form.into_row()).collect());
        }
        for (index, kept) in (first..).zip(&kept) {
            match &mut self.sink {
                Sink::Stream(encoder) => match batch.joint(index) {
                    [] => batch.write(index, kept, encoder)?,
                    joint => self.is_first = batch.write_value(index, kept, joint, self.is_first, encoder)?,
                },
                Sink::ByRecord(..) if batch.written(index, kept).is_empty() => {}
                Sink::ByRecord(sink, compression) => {
                    let mut encoder = Encoder::new(sink, *compression)?;
                    batch.write(index, kept, &mut encoder)?;
                    encoder.finish()?;
                }
                #[cfg(feature = "parquet")]
                Sink::Table(_) => {}
            }
        }
        Ok(())
    }

    /// Passes on the bytes of an output without compression, because a reader may wait for them.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(encoder) => encoder.flush(),
            Sink::ByRecord(sink, _) => sink.flush(),
            #[cfg(feature = "parquet")]
            Sink::Table(_) => Ok(()),
        }
    }

    /// Writes the rest and flushes the sink.
    pub fn finish(self) -> io::Result<()> {
        match self.sink {
            Sink::Stream(encoder) => encoder.finish()?.flush(),
            Sink::ByRecord(mut sink, _) => sink.flush(),
            #[cfg(feature = "parquet")]
            Sink::Table(writer) => writer.finish()?.flush(),
        }
    }
}
