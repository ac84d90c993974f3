package voldemort.common.nio;

import java.io.ByteArrayOutputStream;

/** Has the name of Voldemort's class; written for tests. */
public class ByteBufferBackedOutputStream extends ByteArrayOutputStream {}
