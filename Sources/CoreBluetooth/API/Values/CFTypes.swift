// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation

    /// Seconds since the first moment of 2001 in Greenwich, as `Date.timeIntervalSinceReferenceDate`
    /// counts them. Core Foundation declares it elsewhere; on Linux it is declared here.
    public typealias CFAbsoluteTime = Double

    /// A UUID of Core Foundation. There is none on Linux; `NSUUID` takes its place, so that what
    /// mentions the type compiles.
    public typealias CFUUID = NSUUID
#endif
