// SPDX-License-Identifier: Apache-2.0

/// The number on which a device accepts L2CAP channels (SPSM, Vol 3, Part A, 4.22). Published
/// channels have numbers from 0x0080 to 0x00FF.
public typealias CBL2CAPPSM = UInt16

#if os(Linux)
    import Foundation

    /// A time in seconds since 2001-01-01 00:00:00 UTC, like `Date.timeIntervalSinceReferenceDate`.
    /// Core Foundation declares it on Apple's platforms.
    public typealias CFAbsoluteTime = Double

    /// Returns the current time, for comparison with the times that a delegate gets.
    public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
        Date().timeIntervalSinceReferenceDate
    }

    /// The name of `DispatchQueue` in Apple's headers, which Dispatch for Linux lacks.
    public typealias dispatch_queue_t = DispatchQueue

    /// The type that replaces Core Foundation's UUID on Linux, so that code with this type
    /// compiles.
    public typealias CFUUID = NSUUID

    /// The type that replaces Core Foundation's input stream on Linux.
    public typealias CFReadStream = InputStream

    /// The type that replaces Core Foundation's output stream on Linux.
    public typealias CFWriteStream = OutputStream
#endif
