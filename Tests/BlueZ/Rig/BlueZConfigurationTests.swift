// SPDX-License-Identifier: Apache-2.0

import Testing

/// The content of bluetoothd's main.conf.
@Suite struct BlueZConfigurationTests {
    @Test func byDefaultItSpeaksLowEnergyAndPowersNothing() {
        #expect(
            BlueZConfiguration().text
                == "[General]\nControllerMode = le\n[Policy]\nAutoEnable = false\n"
        )
    }

    @Test func whatIsAskedForStandsInItsSection() {
        let text = BlueZConfiguration(privacy: "device", channels: 3).text
        #expect(text.contains("[GATT]\nChannels = 3\n"))
        #expect(text.contains("[General]\nControllerMode = le\nPrivacy = device\n"))
    }
}
