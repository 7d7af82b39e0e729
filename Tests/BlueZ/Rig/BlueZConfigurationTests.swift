// SPDX-License-Identifier: Apache-2.0

import Testing

/// The content of bluetoothd's main.conf.
@Suite struct BlueZConfigurationTests {
    @Test("The default configuration enables only Low Energy and powers no adapter")
    func defaults() {
        #expect(
            BlueZConfiguration().text
                == "[General]\nControllerMode = le\n[Policy]\nAutoEnable = false\n"
        )
    }

    @Test("The text has each requested setting in its section")
    func sections() {
        let text = BlueZConfiguration(privacy: "device", channels: 3).text
        #expect(text.contains("[GATT]\nChannels = 3\n"))
        #expect(text.contains("[General]\nControllerMode = le\nPrivacy = device\n"))
    }
}
