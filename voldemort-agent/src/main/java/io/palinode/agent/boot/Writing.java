package io.palinode.agent.boot;

import java.io.DataOutputStream;
import java.io.IOException;

/** Writes a message in place of the woven method, with a context. */
public interface Writing {
  /** Throws to the caller if the stream fails. */
  void write(DataOutputStream out) throws IOException;
}
