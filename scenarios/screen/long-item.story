A list item that is longer than the screen is printed as it streams (UI-1, UI-2): finished rows go to the scrollback, unfinished rows stay live below
them, and a line counts the hidden ones. In the end each row is printed once.

--- model
{"turns": [{"text": "Intro.\n\n1. Do this step:\n\n   ```rust\n   let line_00 = 0;\n   let line_01 = 1;\n   let line_02 = 2;\n   let line_03 = 3;\n   let line_04 = 4;\n   let line_05 = 5;\n   let line_06 = 6;\n   let line_07 = 7;\n   let line_08 = 8;\n   let line_09 = 9;\n   let line_10 = 10;\n   let line_11 = 11;\n   let line_12 = 12;\n   let line_13 = 13;\n   let line_14 = 14;\n   let line_15 = 15;\n   let line_16 = 16;\n   let line_17 = 17;\n   let line_18 = 18;\n   let line_19 = 19;\n   let line_20 = 20;\n   let line_21 = 21;\n   let line_22 = 22;\n   let line_23 = 23;\n   let line_24 = 24;\n   let line_25 = 25;\n   let line_26 = 26;\n   let line_27 = 27;\n   let line_28 = 28;\n   let line_29 = 29;\n   let line_30 = 30;\n   let line_31 = 31;\n   let line_32 = 32;\n   let line_33 = 33;\n   let line_34 = 34;\n   let line_35 = 35;\n   let line_36 = 36;\n   let line_37 = 37;\n   let line_38 = 38;\n   let line_39 = 39;\n   ```\n   - part 00\n   - part 01\n   - part 02\n   - part 03\n   - part 04\n   - part 05\n   - part 06\n   - part 07\n   - part 08\n   - part 09\n   - part 10\n   - part 11\n\n   **word000 word001 word002 word003 word004 word005 word006 word007 word008 word009 word010 word011 word012 word013 word014 word015 word016 word017 word018 word019 word020 word021 word022 word023 word024 word025 word026 word027 word028 word029 word030 word031 word032 word033 word034 word035 word036 word037 word038 word039 word040 word041 word042 word043 word044 word045 word046 word047 word048 word049 word050 word051 word052 word053 word054 word055 word056 word057 word058 word059 word060 word061 word062 word063 word064 word065 word066 word067 word068 word069 word070 word071 word072 word073 word074 word075 word076 word077 word078 word079 word080 word081 word082 word083 word084 word085 word086 word087 word088 word089 word090 word091 word092 word093 word094 word095 word096 word097 word098 word099 word100 word101 word102 word103 word104 word105 word106 word107 word108 word109 word110 word111 word112 word113 word114 word115 word116 word117 word118 word119 word120 word121 word122 word123 word124 word125 word126 word127 word128 word129 word130 word131 word132 word133 word134 word135 word136 word137 word138 word139 word140 word141 word142 word143 word144 word145 word146 word147 word148 word149 word150 word151 word152 word153 word154 word155 word156 word157 word158 word159 word160 word161 word162 word163 word164 word165 word166 word167 word168 word169 word170 word171 word172 word173 word174 word175 word176 word177 word178 word179 word180 word181 word182 word183 word184 word185 word186 word187 word188 word189 word190 word191 word192 word193 word194 word195 word196 word197 word198 word199", "delta": 20000, "fault": {"idle": 4}}]}
--- pty 80x24 cutonce
--- keys
< /help
> go
press enter
< rows above
press esc
< Interrupted
gone interrupt
--- history
> go

● Intro.

  1. Do this step:

       let line_00 = 0;
       let line_01 = 1;
       let line_02 = 2;
       let line_03 = 3;
       let line_04 = 4;
       let line_05 = 5;
       let line_06 = 6;
       let line_07 = 7;
       let line_08 = 8;
       let line_09 = 9;
       let line_10 = 10;
       let line_11 = 11;
       let line_12 = 12;
       let line_13 = 13;
       let line_14 = 14;
       let line_15 = 15;
       let line_16 = 16;
       let line_17 = 17;
       let line_18 = 18;
       let line_19 = 19;
       let line_20 = 20;
       let line_21 = 21;
       let line_22 = 22;
       let line_23 = 23;
       let line_24 = 24;
       let line_25 = 25;
       let line_26 = 26;
       let line_27 = 27;
       let line_28 = 28;
       let line_29 = 29;
       let line_30 = 30;
       let line_31 = 31;
       let line_32 = 32;
       let line_33 = 33;
       let line_34 = 34;
       let line_35 = 35;
       let line_36 = 36;
       let line_37 = 37;
       let line_38 = 38;
       let line_39 = 39;
     • part 00
     • part 01
     • part 02
     • part 03
     • part 04
     • part 05
     • part 06
     • part 07
     • part 08
     • part 09
     • part 10
     • part 11

     **word000 word001 word002 word003 word004 word005 word006 word007 word008
     word009 word010 word011 word012 word013 word014 word015 word016 word017
     word018 word019 word020 word021 word022 word023 word024 word025 word026
     word027 word028 word029 word030 word031 word032 word033 word034 word035
     word036 word037 word038 word039 word040 word041 word042 word043 word044
     word045 word046 word047 word048 word049 word050 word051 word052 word053
     word054 word055 word056 word057 word058 word059 word060 word061 word062
     word063 word064 word065 word066 word067 word068 word069 word070 word071
     word072 word073 word074 word075 word076 word077 word078 word079 word080
     word081 word082 word083 word084 word085 word086 word087 word088 word089
     word090 word091 word092 word093 word094 word095 word096 word097 word098
     word099 word100 word101 word102 word103 word104 word105 word106 word107
     word108 word109 word110 word111 word112 word113 word114 word115 word116
     word117 word118 word119 word120 word121 word122 word123 word124 word125
     word126 word127 word128 word129 word130 word131 word132 word133 word134
     word135 word136 word137 word138 word139 word140 word141 word142 word143
     word144 word145 word146 word147 word148 word149 word150 word151 word152
     word153 word154 word155 word156 word157 word158 word159 word160 word161
     word162 word163 word164 word165 word166 word167 word168 word169 word170
     word171 word172 word173 word174 word175 word176 word177 word178 word179
     word180 word181 word182 word183 word184 word185 word186 word187 word188
     word189 word190 word191 word192 word193 word194 word195 word196 word197
     word198 word199

  Interrupted. Tell the agent what to do instead.

›

/help  claude-sonnet-5-5 · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
