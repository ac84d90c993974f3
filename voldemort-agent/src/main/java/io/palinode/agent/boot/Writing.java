package io.palinode.agent.boot;

import java.io.DataOutputStream;
import java.io.IOException;

/** Writes what a woven method was to write, and more. */
public interface Writing {
  /** What it throws is the caller's: its stream has failed. */
  void write(DataOutputStream out) throws IOException;
}
