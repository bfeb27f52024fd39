package recorder

import (
	"bytes"
	"encoding/binary"

	"reprise"
)

// reducer keeps of each frame its skeleton: what metadata-only sessions record.
// The bodies stay in memory until their line ends and reach no file.
type reducer struct {
	recorder *Recorder
	framer   reprise.Framer
	heads    map[lane][]byte // of lines over PartSize
}

type lane struct {
	direction reprise.Direction
	stream    int64
}

func newReducer(r *Recorder) *reducer {
	d := &reducer{recorder: r, heads: map[lane][]byte{}}
	d.framer.Emit = d.frame
	return d
}

// write takes the chunk's frames as far as they are whole. What the server logs is not metadata.
func (d *reducer) write(c reprise.Chunk) error {
	if c.Direction != reprise.ServerLog {
		d.framer.Add(c)
	}
	return nil
}

func (d *reducer) frame(f reprise.Frame) {
	var skeleton []byte
	key := lane{f.Direction, f.Stream}
	switch {
	case f.More && f.Part == 0:
		d.heads[key] = bytes.Clone(f.Data)
		return
	case f.More:
		return
	case f.Part > 0:
		m := reprise.ReadLong(d.heads[key], f.Data)
		skeleton = m.Skeleton()
		delete(d.heads, key)
	default:
		skeleton = reprise.Skeleton(f.Data)
	}
	rec := record{kind: kindReduced, dir: f.Direction, at: f.At, stream: f.Stream, data: packReduced(f, skeleton)}
	if f.Truncated {
		rec.flags = flagTruncated
	}
	if err := d.recorder.journal.append(&rec); err != nil {
		d.recorder.late.loseFrame(f, err)
		d.recorder.trouble(err)
	}
}

// lose takes note of bytes that were not kept: the framer ends what it has of their lines. What the
// loss says afterwards is of whole frames.
func (d *reducer) lose(l *loss) {
	for i := range l.Lanes {
		lane := &l.Lanes[i]
		if lane.Framed || lane.Direction == reprise.ServerLog {
			continue
		}
		gap := d.framer.Lose(lane.Direction, lane.Stream, lane.Lines, lane.Bytes, lane.MidLine, l.At)
		lane.Lines, lane.MidLine, lane.Framed = gap.Frames, false, true
	}
}

// packReduced is the data of a kindReduced record: the size on the wire, the line end, the skeleton.
func packReduced(f reprise.Frame, skeleton []byte) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(f.Size))
	data = append(data, byte(len(f.EOL)))
	return append(data, skeleton...)
}

func unpackReduced(r record) (reprise.Frame, bool) {
	if len(r.data) < 9 || r.data[8] > 2 {
		return reprise.Frame{}, false
	}
	return reprise.Frame{Direction: r.dir, Stream: r.stream, At: r.at, Data: r.data[9:],
		EOL: []string{"", "\n", "\r\n"}[r.data[8]], Truncated: r.flags&flagTruncated != 0, Size: int64(binary.LittleEndian.Uint64(r.data))}, true
}
