package io.palinode.cli.trace;

import java.io.IOException;
import java.io.Reader;
import us.bpsm.edn.parser.Parseable;

/** Text for a parser of EDN that counts its lines. */
final class EdnText implements Parseable {
  private static final int NOTHING = Integer.MIN_VALUE + 1;

  private final Reader in;
  private int unread = NOTHING;
  private long line = 1;

  EdnText(Reader in) {
    this.in = in;
  }

  /** The line of the next character, from 1. */
  long line() {
    return line;
  }

  @Override
  public int read() throws IOException {
    int next = unread == NOTHING ? in.read() : unread;
    unread = NOTHING;
    if (next == '\n') {
      line++;
    }
    return next < 0 ? END_OF_INPUT : next;
  }

  @Override
  public void unread(int last) {
    unread = last;
    if (last == '\n') {
      line--;
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
