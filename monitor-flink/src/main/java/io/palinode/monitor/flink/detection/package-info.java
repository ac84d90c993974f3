/**
 * Detection of one predicate instance a key, and what it publishes. The broadcast notices arrive on
 * every subtask; each book keeps one kind of them.
 */
@NullMarked
package io.palinode.monitor.flink.detection;

import org.jspecify.annotations.NullMarked;
