/**
 * Kafka and Flink inside this process, for one machine: the real broker and the real cluster, from
 * their internal classes, hidden behind two small types.
 *
 * <p>Guarantees: everything is on loopback; all files are under the folder that is given; both
 * start again on a folder they left, and go on from there.
 *
 * <p>Hazards: a Kafka broker that can no longer write its folder halts the whole process.
 */
@NullMarked
package io.palinode.launcher.embedded;

import org.jspecify.annotations.NullMarked;
